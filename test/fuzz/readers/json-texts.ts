// Texts in JSON of clients, operators, issuers and proofs. The first byte selects the reader.
import { createPublicKey } from "node:crypto"
import { readClientData, readOrigins } from "../../../signer/core/webauthn/client-data.ts"
import { CEREMONY_KINDS } from "../../../signer/core/fault.ts"
import { readExportHeader, writeExportHeader } from "../../../signer/core/audit/export.ts"
import { readNote, writeNote } from "../../../signer/core/audit/note.ts"
import { readRecord } from "../../../signer/core/audit/record.ts"
import { readTemplateVariables } from "../../../signer/core/messages/wording.ts"
import {
  readBalanceFilter,
  readNewBalanceFilter,
} from "../../../signer/core/modules/webhooks/balance-filter.ts"
import { readApplications } from "../../../signer/core/oidc/applications.ts"
import { readKeySet, readKeysUrl } from "../../../signer/core/oidc/key-set.ts"
import { openIssuerKey } from "../../../signer/core/oidc/keys.ts"
import { readObject } from "../../../signer/core/proof/verify/json.ts"
import { readPayload } from "../../../signer/core/proof/verify/payload.ts"
import { readJsonObject } from "../../../proto/strict-json.ts"
import { type Reader, requireSame, requireTrue, valueOf } from "../engine/reader.ts"
import type { TreeFormat } from "../engine/tree.ts"
import { json } from "../formats/json.ts"
import { isAnyRefusal, isFaultOf, isNoError } from "./refusals.ts"
import { oneOf } from "./round-trip.ts"

type Json = { [name: string]: unknown }
const ISSUER = "https://issuer.example"
const ZEROS = "0".repeat(64)
const P256 = {
  kty: "EC",
  crv: "P-256",
  x: "axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpY",
  y: "T-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU",
}

/** A reader whose value has members that the text has too. */
function withMembers(
  read: (input: Buffer) => object | undefined,
  seeds: readonly string[],
  isRefusal: Reader["isRefusal"],
  names: readonly string[],
): Reader {
  return {
    seeds: () => seeds,
    read,
    isRefusal,
    judge(input, outcome) {
      const value = valueOf(outcome) as Json | undefined
      if (value === undefined) return
      const shown = JSON.parse(input.toString()) as Json
      for (const name of names)
        if (shown[name] !== undefined && shown[name] !== null) requireSame(value[name], shown[name], name)
    },
  }
}

const clientData = withMembers(
  (input) => readClientData(input),
  [
    '{"type":"webauthn.get","challenge":"AAAA","origin":"https://a.example","crossOrigin":false}',
    '{"type":"x","challenge":"","origin":"","topOrigin":"https://b.example","crossOrigin":true}',
  ],
  isFaultOf(...CEREMONY_KINDS),
  ["type", "challenge", "origin", "crossOrigin", "topOrigin"],
)

const origins: Reader = {
  seeds: () => [
    "https://a.example",
    "https://a.example, http://localhost:3000",
    '["https://a.example:8443","android:apk-key-hash:' + "A".repeat(43) + '"]',
    "chrome-extension://abc",
  ],
  read: (input) => readOrigins(input.toString()),
  isRefusal: isNoError,
  judge(_, outcome) {
    for (const origin of (valueOf(outcome) as readonly string[] | undefined) ?? []) {
      // Hosts of native shells are compared as they are written, and need not be names of hosts.
      if (origin.startsWith("android:") || !/^[\x20-\x7e]+$/.test(origin)) continue
      const { protocol, host } = new URL(origin)
      requireSame(origin, `${protocol}//${host}`, "another spelling of an origin")
    }
  },
}

const applications: Reader = {
  seeds: () => ['{"https://accounts.google.com":["id.apps.googleusercontent.com","b"]}', "{}"],
  read: (input) => readApplications(input.toString()),
  isRefusal: isNoError,
  judge(input, outcome) {
    const read = valueOf(outcome) as ReadonlyMap<string, ReadonlySet<string>> | undefined
    if (read === undefined) return
    requireSame(
      Object.fromEntries(Array.from(read, ([issuer, ids]) => [issuer, [...ids]])),
      JSON.parse(input.toString()),
      "the lists",
    )
  },
}

const keySet: Reader = {
  seeds: () => [
    JSON.stringify({
      keys: [
        { ...P256, kid: "k", use: "sig", alg: "ES256" },
        { kty: "oct", k: "AAAA" },
      ],
    }),
    JSON.stringify({
      keys: [
        { kty: "RSA", n: Buffer.alloc(256, 0xc7).toString("base64url"), e: "AQAB", key_ops: ["verify"] },
      ],
    }),
    JSON.stringify({
      keys: [{ kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" }],
    }),
  ],
  read: (input) => readKeySet(input),
  isRefusal: isAnyRefusal,
  judge(input, outcome) {
    if (!("value" in outcome)) return
    const { keys } = JSON.parse(input.toString()) as { keys: Json[] }
    for (const key of outcome.value as ReturnType<typeof readKeySet>) {
      requireTrue(openIssuerKey(key) !== undefined, "a key that does not open")
      const { x, n } = createPublicKey({ key: Buffer.from(key.spki), format: "der", type: "spki" }).export({
        format: "jwk",
      })
      const same = (one: unknown, other: string | undefined) =>
        typeof one === "string" &&
        other !== undefined &&
        Buffer.from(one, "base64url").equals(Buffer.from(other, "base64url"))
      requireTrue(
        keys.some((one) => same(one["x"], x) || same(one["n"], n) || unpadded(one["n"]) === n),
        "a key that the set has not",
      )
    }
  },
}

/** OpenSSL writes a modulus without zeros in front. */
function unpadded(value: unknown): string | undefined {
  return typeof value === "string"
    ? Buffer.from(
        Buffer.from(value, "base64url")
          .toString("hex")
          .replace(/^(?:00)+/, ""),
        "hex",
      ).toString("base64url")
    : undefined
}

const keysUrl: Reader = {
  seeds: () => [JSON.stringify({ issuer: ISSUER, jwks_uri: `${ISSUER}/keys` })],
  read: (input) => readKeysUrl(input, ISSUER).href,
  isRefusal: isAnyRefusal,
  judge(input, outcome) {
    if (!("value" in outcome)) return
    const { issuer, jwks_uri: url } = JSON.parse(input.toString()) as { issuer: string; jwks_uri: string }
    requireSame([issuer, outcome.value], [ISSUER, new URL(url).href], "another issuer's keys")
  },
}

const record = withMembers(
  (input) => readRecord(input.toString()),
  [`{"number":1,"time":"2026-01-01T00:00:00.000Z","previous":"${ZEROS}","kind":"start","release":"1"}`],
  isNoError,
  ["number", "time", "previous", "kind"],
)

const BINDING = {
  checkpoint: "c",
  logKeyStatement: "ab",
  logKeySignature: "cd",
  first: 1,
  range: [Buffer.of(1)],
  leaves: [Buffer.of(2, 3)],
  number: 4,
}
const exportHeader: Reader = {
  seeds: () => [writeExportHeader(BINDING)],
  read: (input) => readExportHeader(input.toString()),
  isRefusal: isNoError,
  judge(input, outcome) {
    const read = valueOf(outcome) as typeof BINDING | undefined
    if (read === undefined) return
    const written = JSON.parse(writeExportHeader(read)) as Json
    const shown = JSON.parse(input.toString()) as Json
    for (const [name, value] of Object.entries(written)) requireSame(value, shown[name], name)
  },
}

const note: Reader = {
  seeds: () => [
    writeNote({ command: "pair", outcome: "done", atMs: 5, subject: "api" }),
    writeNote({ command: "init", outcome: "begun", atMs: 0 }),
  ],
  read: (input) => readNote(input.toString()),
  isRefusal: isNoError,
  judge(_, outcome) {
    const read = valueOf(outcome) as Parameters<typeof writeNote>[0] | undefined
    if (read !== undefined) requireSame(readNote(writeNote(read)), read, "the written note")
  },
}

const variables: Reader = {
  seeds: () => ['{"a":"b","c":""}', "{}"],
  read: (input) => readTemplateVariables(input.toString(), "f"),
  isRefusal: isAnyRefusal,
  judge(input, outcome) {
    if ("value" in outcome) requireSame(outcome.value, JSON.parse(input.toString()), "the variables")
  },
}

const balances: Reader = {
  seeds: () => [
    '{"addresses":["eip155:1:0x70997970c51812dc3a010c7d01b50e0d17dc79c8","solana:mainnet:11111111111111111111111111111111"]}',
  ],
  read: (input) => readNewBalanceFilter(input.toString(), "f"),
  isRefusal: isAnyRefusal,
  judge(input, outcome) {
    if (!("value" in outcome)) return
    requireSame(readBalanceFilter(input.toString(), "f"), outcome.value, "the stored filter")
    const { addresses } = JSON.parse(input.toString()) as { addresses: unknown[] }
    requireSame((outcome.value as unknown[]).length, addresses.length, "the number of accounts")
  },
}

const payload = withMembers(
  (input) => readPayload(input.toString()),
  ['{"type":"T","timestampMs":"5","addressDerivationProof":{"a":1}}'],
  isNoError,
  [],
)
const object = withMembers((input) => readObject(input.toString()), ['{"a":[1]}', "[]"], isNoError, ["a"])
const strict = withMembers(
  (input) => readJsonObject(input, (reason) => new SyntaxError(reason)),
  ['{"a":1}'],
  (error) => error instanceof SyntaxError,
  ["a"],
)

/** JSON behind the byte that selects. */
const format: TreeFormat = {
  parse(input) {
    const tree = json.parse(input.subarray(1))
    return tree && { head: "", body: [{ head: "", body: input.subarray(0, 1) }, tree] }
  },
  write({ body }) {
    return Buffer.concat(Array.isArray(body) ? body.map(json.write) : [body])
  },
}

export const jsonTexts: Reader = {
  ...oneOf([
    clientData,
    origins,
    applications,
    keySet,
    keysUrl,
    record,
    exportHeader,
    note,
    variables,
    balances,
    payload,
    object,
    strict,
  ]),
  format,
}
