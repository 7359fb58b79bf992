import { createHash } from "node:crypto"
import t from "tap"
import { CredentialType } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { RefusalName } from "../../../../signer/core/refusal.ts"
import {
  MAX_PASSKEY_STAMP_LENGTH,
  readPasskeyStamp,
  readStampHeaders,
  stampParts,
} from "../../../../signer/core/stamp/read-stamp.ts"
import { requireStampByCredential } from "../../../../signer/core/stamp/verify.ts"
import { type Departure, nameOf, Passkey } from "../../../harness/authenticator.ts"
import { refusalOf } from "./forge.ts"

const body = Buffer.from(
  '{"organization_id": "1234", "type": "ACTIVITY_TYPE_CREATE_API_KEYS", "params": {"for": "example"}}',
)
const passkey = new Passkey()
const header = passkey.stamp(body)
const held = (from = passkey) => ({
  authenticator: { publicKey: from.publicKey, rpIdHash: createHash("sha256").update(from.rpId).digest() },
})
const terms = (origins?: readonly string[]) => ({ nowMs: 0, origins: () => origins })

t.test("reads the header as JSON and as base64url of it, and ignores more members", async (t) => {
  const more = JSON.stringify({ ...JSON.parse(header), userHandle: "AA" })
  for (const text of [header, more, ` ${header} `.trim()]) {
    for (const value of [text, Buffer.from(text).toString("base64url")]) {
      const stamp = readPasskeyStamp(value)
      t.match(stamp, { kind: "passkey", credential: nameOf(passkey), scheme: "SIGNATURE_SCHEME_TK_WEBAUTHN" })
      t.same(stamp.credentialId, passkey.credentialId)
      t.doesNotThrow(() => requireStampByCredential(held(), stamp, body, terms()))
    }
  }
  const longest = new Passkey({ idBytes: 1023 })
  t.match(readPasskeyStamp(longest.stamp(body)), { credential: nameOf(longest) })
  t.match(readPasskeyStamp(header.padEnd(MAX_PASSKEY_STAMP_LENGTH)), { credential: nameOf(passkey) })
})

t.test("the challenge is the base64url of the body's digest in hexadecimal", async (t) => {
  // SHA-256 of "abc" as FIPS 180-4 has it.
  const digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
  const abc = Buffer.from("abc")
  const challenge = Buffer.from(digest).toString("base64url")
  const stamp = readPasskeyStamp(passkey.stamp("another body", { challenge }))
  t.doesNotThrow(() => requireStampByCredential(held(), stamp, abc, terms()))
  const upper = Buffer.from(digest.toUpperCase()).toString("base64url")
  const raw = Buffer.from(digest, "hex").toString("base64url")
  for (const other of [upper, raw, `${challenge}=`]) {
    const altered = readPasskeyStamp(passkey.stamp(abc, { challenge: other }))
    t.equal(refusalOf(() => requireStampByCredential(held(), altered, abc, terms())).code, "STAMP_INVALID")
  }
})

t.test("says that a header is neither JSON nor base64url", async (t) => {
  const { sentence } = refusalOf(() => readPasskeyStamp("not a stamp!"))
  t.match(sentence, "the header is neither JSON nor base64url")
})

t.test("B1: refuses a header that is not one stamp of a passkey", async (t) => {
  const members = JSON.parse(header) as Record<string, string>
  const changed = (change: object) => JSON.stringify({ ...members, ...change })
  const refused: Record<string, string> = {
    "neither JSON nor base64url": "not a stamp!",
    "base64url of no JSON": Buffer.from("stamp").toString("base64url"),
    "JSON that is cut off": header.slice(0, -1),
    "a list": `[${header}]`,
    "a member twice": header.replace("{", `{"signature":"AA",`),
    "no signature": changed({ signature: undefined }),
    "a signature that is a number": changed({ signature: 1 }),
    "client data in standard base64": changed({ clientDataJson: "+/+/" }),
    "client data under the browser's name": changed({
      clientDataJson: undefined,
      clientDataJSON: members["clientDataJson"],
    }),
    "an empty credential id": changed({ credentialId: "" }),
    "a credential id of 1024 bytes": changed({ credentialId: Buffer.alloc(1024).toString("base64url") }),
    "a credential id with bits left over": changed({ credentialId: "AB" }),
    "two stamps joined": `${header}, ${header}`,
    "a header that is too long": `${header}${" ".repeat(MAX_PASSKEY_STAMP_LENGTH)}`,
    "a member inherited": changed({ signature: undefined, ["__proto__"]: { signature: "AA" } }),
  }
  for (const [what, value] of Object.entries(refused)) {
    t.equal(refusalOf(() => readPasskeyStamp(value)).code, "STAMP_MALFORMED", what)
  }
})

t.test("B1: exactly one of the stamp headers", async (t) => {
  const kinds = { xStamp: "e30", xStampWebauthn: header, xStampAttested: "e30" }
  const codeOf = (headers: Partial<typeof kinds>) => refusalOf(() => readStampHeaders(headers)).code
  t.equal(readStampHeaders({ xStampWebauthn: header }).kind, "passkey")
  t.equal(codeOf({ xStamp: kinds.xStamp, xStampWebauthn: header }), "STAMP_MALFORMED")
  t.equal(codeOf({ xStampWebauthn: header, xStampAttested: "e30" }), "STAMP_MALFORMED")
  t.equal(codeOf(kinds), "STAMP_MALFORMED")
  t.equal(codeOf({ xStampAttested: "e30" }), "STAMP_MALFORMED")
  t.equal(codeOf({}), "STAMP_MISSING")
})

t.test("B7: each rule of an assertion has its refusal", async (t) => {
  const origins = ["https://example.org"]
  const codeOf = (departure: Departure, target = held(), from = passkey) => {
    const stamp = readPasskeyStamp(from.stamp(body, departure))
    return refusalOf(() => requireStampByCredential(target, stamp, body, terms(origins))).code
  }
  const refused: [RefusalName, Departure][] = [
    ["STAMP_CEREMONY_WRONG", { type: "webauthn.create" }],
    ["STAMP_CEREMONY_WRONG", { rpId: "evil.example" }],
    ["STAMP_CEREMONY_WRONG", { flags: 0x04 }],
    ["STAMP_ORIGIN_WRONG", { origin: "https://evil.example" }],
    ["STAMP_ORIGIN_WRONG", { more: { crossOrigin: true } }],
    ["STAMP_INVALID", { challenge: "AAAA" }],
    ["STAMP_INVALID", { signer: new Passkey().privateKey }],
    ["STAMP_MALFORMED", { flags: 0x41 }],
    ["STAMP_MALFORMED", { more: { crossOrigin: "no" } }],
  ]
  for (const [code, departure] of refused)
    t.equal(codeOf(departure), code, JSON.stringify(Object.keys(departure)))
  t.equal(codeOf({}, held(new Passkey())), "STAMP_INVALID", "the key of another")
  t.equal(
    codeOf({}, held(new Passkey({ algorithm: "RS256" }))),
    "STAMP_INVALID",
    "a key of another algorithm",
  )
  const other = Buffer.concat([body, Buffer.from(" ")])
  const stamp = readPasskeyStamp(header)
  t.equal(
    refusalOf(() => requireStampByCredential(held(), stamp, other, terms())).code,
    "STAMP_INVALID",
    "another body",
  )
  const apiKey = { publicKey: "02", type: CredentialType.API_KEY_P256, expiresAtMs: 0n }
  t.equal(
    refusalOf(() => requireStampByCredential({ apiKey }, stamp, body, terms())).code,
    "STAMP_SCHEME_MISMATCH",
  )
  t.doesNotThrow(() => requireStampByCredential(held(), stamp, body, terms(origins)), "the unaltered twin")
})

t.test("the stored parts of a vote's stamp are enough to verify it again", async (t) => {
  for (const from of [passkey, new Passkey({ algorithm: "EdDSA" }), new Passkey({ algorithm: "RS256" })]) {
    const parts = stampParts(readPasskeyStamp(from.stamp(body)), from.publicKey)
    t.match(parts, { scheme: "SIGNATURE_SCHEME_TK_WEBAUTHN", credential: nameOf(from) })
    const again = readPasskeyStamp(parts.signature)
    const publicKey = Buffer.from(parts.publicKey, "base64url")
    const { rpIdHash } = held(from).authenticator
    t.doesNotThrow(() =>
      requireStampByCredential({ authenticator: { publicKey, rpIdHash } }, again, body, terms()),
    )
  }
})
