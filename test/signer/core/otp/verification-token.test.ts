import { createPublicKey } from "node:crypto"
import fc from "fast-check"
import t from "tap"
import { OtpType } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { p256PublicKey } from "../../../../signer/core/crypto/p256.ts"
import { signMessage } from "../../../../signer/core/crypto/keyset.ts"
import {
  provesContact,
  requireVerificationToken,
  type VerificationToken,
  writeVerificationToken,
} from "../../../../signer/core/otp/verification-token.ts"
import { newKeySet } from "../../../harness/fetcher.ts"
import { newKey } from "../../../harness/stamper.ts"

const NOW = Date.UTC(2026, 0, 1)
const ORGANIZATION = "0199aaaa-0000-7000-8000-000000000000"
const PARENT = "0199bbbb-0000-7000-8000-000000000000"
const keySet = newKeySet()
const fetcherKey = createPublicKey(keySet.sign)
const sign = (message: Uint8Array) => signMessage(keySet, message)
const INVALID = { code: "VERIFICATION_TOKEN_INVALID" }

function token(changes: Partial<VerificationToken> = {}): VerificationToken {
  return {
    id: "0199cccc-0000-7000-8000-000000000000",
    organizationId: ORGANIZATION,
    channel: OtpType.EMAIL,
    contact: "ann@example.com",
    publicKey: newKey().publicKeyHex,
    expiresAtMs: NOW + 1,
    isSealed: true,
    ...changes,
  }
}

function read(compact: string, organizationIds = [ORGANIZATION], nowMs = NOW) {
  return requireVerificationToken(compact, {
    fetcherKey,
    organizationIds,
    nowMs,
    field: "parameters.verificationToken",
  })
}

/** A token of these texts, signed as the fetcher signs. */
function signed(header: unknown, payload: unknown): string {
  const text = [header, payload]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".")
  return `${text}.${Buffer.from(sign(Buffer.from(text))).toString("base64url")}`
}

/** A token of the published service, from the tests of its TypeScript client (packages/crypto), and the key they pin. */
const PUBLISHED = {
  publicHex:
    "046b4f88421f76b6ba418afc2ea1d8ced671337d7db6b80478a60d8531bf8f17fa9a512f0fef96fc0c9b4cd9dff70b34992e520ce04c79d931f6ff6296b547d201",
  compact:
    "eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9.eyJleHAiOiIxNzgyOTE5NjUxMjYxIiwiaWQiOiJlYjM5YjE5OS0zMzUyLTQyODktYjMxZi01NzE5NGM3OTYwOWMiLCJvcmdhbml6YXRpb25faWQiOiI3ZmYxODlmYi1kZjdkLTQ1MmUtODU0MC01NzYzMmUzODBiNzciLCJ2ZXJpZmljYXRpb25fdHlwZSI6Ik9UUF9UWVBFX0VNQUlMIiwiY29udGFjdCI6InVzZXJAZXhhbXBsZS5jb20iLCJwdWJsaWNfa2V5IjoiMDM2MzM1Yjc4ZjkyNzM2ZTMyZTk5ZGM2YWVkOTc5YWZmMGI1YzI0MTkyZTc2YjE2MjhhYTU0ZWRhZjU4YzhjMTVkIn0.YMtLA5vVUTiYhW5CIitrGXb-fk4MWx-MNVC4etopkKVro6tn0CP-Uz7biSZOunASsEc3jkjJWnFIn2AMpuZomg",
  organizationId: "7ff189fb-df7d-452e-8540-57632e380b77",
  expiresAtMs: 1_782_919_651_261,
}

const HEADER = { typ: "JWT", alg: "ES256" }

t.test("reads what was written, whatever the contact, and published clients decode it", async (t) => {
  const contact = fc.string({ unit: "binary", minLength: 1, maxLength: 254 })
  const optionalKey = fc.boolean().map((isBound) => (isBound ? newKey().publicKeyHex : undefined))
  const property = fc.property(
    contact,
    optionalKey,
    fc.integer({ min: NOW + 1, max: 9e14 }),
    fc.boolean(),
    (contact, publicKey, expiresAtMs, isSealed) => {
      const claims = token({ contact: contact.toWellFormed(), publicKey, expiresAtMs, isSealed })
      const compact = writeVerificationToken(claims, sign)
      const payload = compact.split(".")[1]!
      return (
        !/[-_]/.test(payload) &&
        JSON.stringify((JSON.parse(atob(payload)) as { contact: string }).contact) ===
          JSON.stringify(claims.contact) &&
        JSON.stringify(read(compact)) === JSON.stringify(claims)
      )
    },
  )
  t.doesNotThrow(() => fc.assert(property))
})

t.test("members have the order of published tokens", async (t) => {
  const [header, payload] = writeVerificationToken(token({ publicKey: undefined }), sign).split(".")
  t.equal(Buffer.from(header!, "base64url").toString(), '{"typ":"JWT","alg":"ES256"}')
  t.equal(
    Buffer.from(payload!, "base64url").toString(),
    `{"exp":"${NOW + 1}","id":"0199cccc-0000-7000-8000-000000000000","organization_id":"${ORGANIZATION}",` +
      '"verification_type":"OTP_TYPE_EMAIL","contact":"ann@example.com"}',
  )
})

t.test("the header's order says whether the code was sealed, and is signed too", async (t) => {
  const plain = writeVerificationToken(token({ isSealed: false }), sign)
  const [header, payload, signature] = plain.split(".")
  t.equal(Buffer.from(header!, "base64url").toString(), '{"alg":"ES256","typ":"JWT"}')
  t.equal(read(plain).isSealed, false)
  const [sealed] = writeVerificationToken(token(), sign).split(".")
  t.throws(() => read(`${sealed}.${payload}.${signature}`), INVALID)
})

t.test("refuses a token with any one character changed", async (t) => {
  const compact = writeVerificationToken(token(), sign)
  for (let at = 0; at < compact.length; at++) {
    const other = compact[at] === "A" ? "B" : "A"
    t.throws(() => read(compact.slice(0, at) + other + compact.slice(at + 1)), INVALID)
  }
  t.ok(read(compact))
})

t.test("O5: refuses a token of another key, another organization, or another time", async (t) => {
  const compact = writeVerificationToken(token(), sign)
  const other = createPublicKey(newKeySet().sign)
  const terms = { fetcherKey: other, organizationIds: [ORGANIZATION], nowMs: NOW, field: "" }
  t.throws(() => requireVerificationToken(compact, terms), INVALID)
  t.throws(() => read(compact, [PARENT]), INVALID)
  t.throws(() => read(compact, []), INVALID)
  t.throws(() => read(compact, [ORGANIZATION], NOW + 1), INVALID, "at its expiry")
  t.ok(read(compact, [PARENT, ORGANIZATION]), "a parent's token counts in its sub-organizations")
})

t.test("refuses other claims, even if the fetcher had signed them", async (t) => {
  const [, payload] = writeVerificationToken(token(), sign).split(".")
  const claims = JSON.parse(atob(payload!)) as { [name: string]: unknown }
  const changes: object[] = [
    { exp: NOW + 1 },
    { exp: "" },
    { exp: "1e15" },
    { id: "one" },
    { organization_id: "" },
    { verification_type: "OTP_TYPE_UNSPECIFIED" },
    { verification_type: undefined },
    { contact: "" },
    { contact: undefined },
    { public_key: "" },
    { public_key: null },
    { public_key: String(claims["public_key"]).toUpperCase() + "0" },
    { public_key: `02${"f".repeat(64)}` },
  ]
  for (const change of changes)
    t.throws(() => read(signed(HEADER, { ...claims, ...change })), INVALID, JSON.stringify(change))
  t.throws(() => read(signed(HEADER, [])), INVALID)
  t.ok(read(signed(HEADER, claims)), "the unaltered twin")
})

t.test("refuses every other header: alg none, another kind of token", async (t) => {
  const [, payload] = writeVerificationToken(token(), sign).split(".")
  const claims: unknown = JSON.parse(atob(payload!))
  const headers = [
    { typ: "JWT", alg: "none" },
    { ...HEADER, kid: "1" },
    { ...HEADER, alg: "HS256" },
  ]
  for (const header of headers) t.throws(() => read(signed(header, claims)), INVALID, JSON.stringify(header))
  const compact = signed(HEADER, claims)
  for (const text of [
    "",
    "a.b.c",
    compact.slice(0, compact.lastIndexOf(".") + 1),
    `${compact}.`,
    `${compact}=`,
  ])
    t.throws(() => read(text), INVALID, text.slice(0, 20))
  t.throws(() => read("a".repeat(1_000_000)), INVALID)
})

t.test("reads the tokens of the published service with its own key", async (t) => {
  const { publicHex, compact, organizationId, expiresAtMs } = PUBLISHED
  const fetcherKey = p256PublicKey(Buffer.from(publicHex, "hex"))!
  const terms = { fetcherKey, organizationIds: [organizationId], nowMs: expiresAtMs - 1, field: "" }
  t.match(requireVerificationToken(compact, terms), { organizationId, expiresAtMs })
})

t.test("a contact is proven in any case of ASCII letters, by its own channel", async (t) => {
  const ann = token({ contact: "Ann@Example.com" })
  t.ok(provesContact(ann, OtpType.EMAIL, "aNN@eXAMPLE.COM"))
  t.notOk(provesContact(ann, OtpType.SMS, "Ann@Example.com"))
  t.notOk(provesContact(ann, OtpType.EMAIL, "an.n@example.com"))
  t.notOk(
    provesContact(token({ contact: "K@example.com" }), OtpType.EMAIL, "\u212a@example.com"),
    "the Kelvin sign",
  )
  t.notOk(provesContact(token({ contact: "" }), OtpType.EMAIL, ""))
})
