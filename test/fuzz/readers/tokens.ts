// ID tokens, verification tokens and read-only sessions: what is read is what the signed bytes say, once.
import { OtpType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { readIdToken } from "../../../signer/core/oidc/token.ts"
import { readVerificationToken, writeVerificationToken } from "../../../signer/core/otp/verification-token.ts"
import {
  requireReadOnlySession,
  writeReadOnlySession,
} from "../../../signer/core/session/read-only-session.ts"
import { sign } from "node:crypto"
import { type Reader, requireSame, requireTrue } from "../engine/reader.ts"
import type { Part, TreeFormat } from "../engine/tree.ts"
import { json } from "../formats/json.ts"
import { p256KeyOf } from "./test-keys.ts"
import { isAnyRefusal } from "./refusals.ts"

const ID = "0198c0de-0000-7000-8000-000000000001"
const { privateKey, publicKey } = p256KeyOf(7)
const signer = (message: Uint8Array) =>
  sign("sha256", message, { key: privateKey, dsaEncoding: "ieee-p1363" })
const NOW_MS = 1_767_225_600_000
const session = {
  organizationId: ID,
  userId: ID,
  credential: "02ab",
  openedAtMs: NOW_MS,
  expiresAtMs: NOW_MS + 3_600_000,
}

/** The parts between the dots, those that are JSON as trees of it. */
const token: TreeFormat = {
  parse(input) {
    const parts = input.toString("latin1").split(".")
    return { head: "token", body: parts.map(partOf) }
  },
  write({ body }) {
    const parts = Array.isArray(body) ? body.map(textOf) : [body.toString("latin1")]
    return Buffer.from(parts.join("."), "latin1")
  },
}

function partOf(text: string): Part {
  const bytes = Buffer.from(text, "base64url")
  const tree = bytes[0] === 0x7b ? json.parse(bytes) : undefined
  return tree === undefined ? { head: "bytes", body: bytes } : { head: "json", body: [tree] }
}

function textOf({ head, body }: Part): string {
  const bytes = Array.isArray(body) ? json.write(body[0] ?? { head: "{", body: [] }) : body
  return head === "bytes" || head === "json" ? bytes.toString("base64url") : bytes.toString("latin1")
}

const compact = (header: object, claims: object) =>
  `${[header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".")}.${"AB".repeat(43)}`
const claims = { iss: "https://issuer.example", aud: "app", sub: "alice", exp: 1_767_225_600, nonce: "n" }

type Json = { [name: string]: unknown }

/** An ID token with the parts that identities are made of. */
export const idToken: Reader<ReturnType<typeof readIdToken>> = {
  format: token,
  seeds: () => [
    compact({ alg: "ES256", typ: "JWT", kid: "k" }, claims),
    compact({ alg: "RS256" }, { ...claims, aud: ["app", "other"], azp: "app" }),
    compact({ alg: "EdDSA", typ: "jwt" }, { ...claims, iss: "https://issuer.example/path/" }),
    compact({ alg: "HS256" }, claims),
    compact({ alg: "none", crit: ["x"] }, claims),
  ],
  read: (input) => readIdToken(input.toString(), "f"),
  isRefusal: isAnyRefusal,
  judge(input, outcome) {
    if ("refusal" in outcome) return
    const { issuer, audience, subject, jws } = outcome.value
    const [header = "", payload = ""] = input.toString().split(".")
    const [shownHeader, shown] = [header, payload].map(
      (part) => JSON.parse(Buffer.from(part, "base64url").toString()) as Json,
    )
    requireSame(jws.algorithmName, shownHeader?.["alg"], "the algorithm")
    requireTrue(!/^(?:none|HS\d+)$/i.test(jws.algorithmName), "an algorithm without public keys")
    requireSame(subject, shown?.["sub"], "the subject")
    requireSame(issuer.replace(/\/$/, ""), String(shown?.["iss"]).replace(/\/$/, ""), "the issuer")
    const audiences = [shown?.["aud"]].flat()
    requireTrue(audiences.includes(audience), "an application that is no audience")
    requireTrue(
      audiences.length === 1 || shown?.["azp"] === audience,
      "an application that is not the authorized party",
    )
    requireSame(Buffer.from(jws.signingInput).toString(), `${header}.${payload}`, "the signed bytes")
  },
}

const verification = {
  id: ID,
  organizationId: ID,
  channel: OtpType.EMAIL,
  contact: "a@b.example",
  publicKey: undefined,
  expiresAtMs: NOW_MS,
  isSealed: true,
}

export const verificationToken: Reader<ReturnType<typeof readVerificationToken>> = {
  format: token,
  seeds: () => [
    writeVerificationToken(verification, signer),
    writeVerificationToken(
      {
        ...verification,
        isSealed: false,
        publicKey: `026b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296`,
      },
      signer,
    ),
  ],
  read: (input) => readVerificationToken(input.toString(), "f"),
  isRefusal: isAnyRefusal,
  judge(input, outcome) {
    if ("refusal" in outcome) return
    const { claims: read, signed, signature } = outcome.value
    const [header = "", payload = "", last = ""] = input.toString().split(".")
    const shown = JSON.parse(Buffer.from(payload, "base64url").toString()) as Json
    requireSame([read.contact, String(read.expiresAtMs)], [shown["contact"], shown["exp"]], "the claims")
    requireSame(Buffer.from(signed).toString(), `${header}.${payload}`, "the signed bytes")
    requireSame(Buffer.from(signature).toString("base64url"), last, "the signature")
  },
}

/** Only the text that was signed is read. */
export const readOnlySession: Reader<ReturnType<typeof requireReadOnlySession>> = {
  format: token,
  seeds: () => [writeReadOnlySession(session, signer)],
  read: (input) => requireReadOnlySession(input.toString(), publicKey, NOW_MS),
  isRefusal: isAnyRefusal,
  judge(_, outcome) {
    if ("value" in outcome) requireSame(outcome.value, session, "a session that nobody signed")
  },
}
