import t from "tap"
import { readAttestedStamp, requireAttestedKey } from "../../../../signer/core/stamp/attested.ts"
import { verifyStoredStamp } from "../../../../signer/core/stamp/verify.ts"
import { STAMP_SCHEMES } from "../../../../signer/core/stamp/keys.ts"
import { readStamp, stampParts } from "../../../../signer/core/stamp/read-stamp.ts"
import { Refusal } from "../../../../signer/core/refusal.ts"
import { AttestedKey, nonceOf } from "../../../harness/attested.ts"
import { claimsOf, idToken, issuerKey } from "../../../harness/id-token.ts"
import { newKey, stampBy } from "../../../harness/stamper.ts"
import { OtpType } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { contactName } from "../../../../signer/core/otp/user-contact.ts"
import {
  type VerificationToken,
  writeVerificationToken,
} from "../../../../signer/core/otp/verification-token.ts"
import { CONTACT_SCHEME, OIDC_SCHEME } from "../../../../signer/core/stamp/attested.ts"
import {
  requireStamp,
  requireStampByCredential,
  unknownCredential,
} from "../../../../signer/core/stamp/verify.ts"

const BODY = Buffer.from("{}")
const key = newKey()
const tokenWith = (changes: object) => idToken(claimsOf("https://idp.example", 0, changes), issuerKey())
const by = new AttestedKey(key, tokenWith({ nonce: nonceOf(key) }))
const decoded = (header: string) => Buffer.from(header, "base64url").toString()

function refusalOf(run: () => unknown): Refusal | undefined {
  try {
    run()
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

const codeOf = (run: () => unknown) => refusalOf(run)?.code ?? "none"

t.test("the schemes have the names that published clients send", async (t) => {
  t.equal(OIDC_SCHEME, "STAMP_ATTESTED_SCHEME_P256_OIDC")
  t.equal(CONTACT_SCHEME, "STAMP_ATTESTED_SCHEME_P256_VERIFICATION_TOKEN")
})

t.test("an attested stamp is read from base64url and from JSON, and names its identity", async (t) => {
  const header = by.stamp(BODY)
  for (const text of [header, decoded(header)]) {
    const stamp = readAttestedStamp(text)
    t.match(stamp, { kind: "attested", publicKeyHex: key.publicKeyHex, credential: by.credential })
    t.doesNotThrow(() => requireAttestedKey(stamp, BODY))
  }
  const upper = by.stamp(BODY, { publicKey: key.publicKeyHex.toUpperCase(), more: 1 })
  t.equal(readAttestedStamp(upper).publicKeyHex, key.publicKeyHex)
  const other = new AttestedKey(key, tokenWith({ aud: "other" }))
  t.not(other.credential, by.credential, "another application is another identity")
})

t.test("B1: a header that is no attested stamp is refused", async (t) => {
  const length = "the header is too long"
  const json = "the header is neither JSON nor base64url"
  const hex = "signature is not hex"
  const der = "signature is not DER"
  const signature = decoded(by.stamp(BODY)).slice(-100, -4)
  const cases: [what: string, header: string, reason: string][] = [
    ["an empty header", "", "the header "],
    ["no base64url", "*", json],
    ["no JSON", Buffer.from("x").toString("base64url"), "the header "],
    ["no token", by.stamp(BODY, { publicKeyAttestation: undefined }), "publicKeyAttestation is missing"],
    ["no scheme", by.stamp(BODY, { scheme: 1 }), "scheme is missing or not a string"],
    ["an uncompressed key", by.stamp(BODY, { publicKey: `04${"0".repeat(128)}` }), "publicKey is not"],
    ["no hex", by.stamp(BODY, { signature: "3g" }), hex],
    ["no hex at the end", by.stamp(BODY, { signature: `${signature}zz` }), hex],
    ["no hex at the start", by.stamp(BODY, { signature: `zz${signature}` }), hex],
    ["half a byte", by.stamp(BODY, { signature: "303" }), hex],
    ["no DER", by.stamp(BODY, { signature: "00".repeat(64) }), der],
    ["an empty signature", by.stamp(BODY, { signature: "" }), der],
    ["deep members", by.stamp(BODY, { more: [[[[[]]]]] }), "the header "],
    ["a long header", decoded(by.stamp(BODY)).padEnd(12_289), length],
  ]
  for (const [what, header, reason] of cases) {
    const refusal = refusalOf(() => readAttestedStamp(header))
    t.equal(refusal?.code, "STAMP_MALFORMED", what)
    t.ok(refusal?.message.startsWith(`could not extract attested stamp: ${reason}`), what)
  }
  t.match(refusalOf(() => readAttestedStamp("{"))?.cause, { name: "StrictJsonError" }, "for the log")
  t.equal(
    codeOf(() => readAttestedStamp(decoded(by.stamp(BODY)).padEnd(12_288))),
    "none",
  )
  const scheme = "STAMP_ATTESTED_SCHEME_P256_OTHER"
  t.equal(
    codeOf(() => readAttestedStamp(by.stamp(BODY, { scheme }))),
    "STAMP_SCHEME_UNKNOWN",
  )
  t.equal(
    codeOf(() => readAttestedStamp(by.stamp(BODY, { publicKeyAttestation: "x" }))),
    "OIDC_TOKEN_INVALID",
  )
})

t.test("A5: the token must name the key, and the key must have signed the body", async (t) => {
  const checked = (stamper: AttestedKey, body = BODY, changes = {}) =>
    codeOf(() => requireAttestedKey(readAttestedStamp(stamper.stamp(BODY, changes)), body))
  t.equal(checked(by), "none", "the unaltered twin")
  t.equal(checked(new AttestedKey(key, tokenWith({ tknonce: nonceOf(key) }))), "none")
  for (const nonce of [undefined, "", key.publicKeyHex, nonceOf(key).toUpperCase(), nonceOf(newKey()), 1])
    t.equal(checked(new AttestedKey(key, tokenWith({ nonce }))), "STAMP_KEY_UNATTESTED", String(nonce))
  t.match(
    refusalOf(() => requireAttestedKey(readAttestedStamp(by.stamp(BODY)), Buffer.from("{} "))),
    { code: "STAMP_INVALID", message: /did not sign this body: .*the body changed after stamping$/ },
  )
  const noPoint = { publicKeyHex: `02${"f".repeat(64)}`, privateKey: key.privateKey }
  t.equal(checked(new AttestedKey(noPoint, tokenWith({ nonce: nonceOf(noPoint) }))), "STAMP_INVALID")
})

t.test("P1: a stored attested stamp verifies again, for its own body only", async (t) => {
  for (const stamper of [by, byContact()]) {
    const stored = stampParts(readAttestedStamp(stamper.stamp(BODY)))
    t.equal(stored.credential, stamper.credential)
    t.ok(verifyStoredStamp(stored, BODY))
    t.notOk(verifyStoredStamp(stored, Buffer.from("{} ")))
  }
})

/** A key that a contact's token is bound to. Nothing here verifies the token's signature. */
function byContact(changes: Partial<VerificationToken> = {}): AttestedKey {
  const claims = {
    id: "0199cccc-0000-7000-8000-000000000000",
    organizationId: "0199aaaa-0000-7000-8000-000000000000",
    channel: OtpType.EMAIL,
    contact: "ann@example.com",
    publicKey: key.publicKeyHex,
    expiresAtMs: 1,
    isSealed: true,
    ...changes,
  }
  const token = writeVerificationToken(claims, () => new Uint8Array(64))
  return new AttestedKey(key, token, CONTACT_SCHEME)
}

t.test("a stamp with a verification token names its contact, in any case of its letters", async (t) => {
  const stamp = readAttestedStamp(byContact({ contact: "ANN@example.com" }).stamp(BODY))
  const credential = contactName({ channel: OtpType.EMAIL, contact: "ann@example.com" })
  t.match(stamp, { kind: "attested", scheme: CONTACT_SCHEME, publicKeyHex: key.publicKeyHex, credential })
  t.match(credential, /^contact:[A-Za-z0-9_-]{43}$/)
  t.doesNotThrow(() => requireAttestedKey(stamp, BODY))
  t.throws(() => requireAttestedKey(stamp, Buffer.from("{} ")), { code: "STAMP_INVALID" })
})

t.test("A5: a token of another key, of none, or under the other scheme attests no key", async (t) => {
  for (const publicKey of [newKey().publicKeyHex, undefined]) {
    const refusal = refusalOf(() =>
      requireAttestedKey(readAttestedStamp(byContact({ publicKey }).stamp(BODY)), BODY),
    )
    t.equal(refusal?.code, "STAMP_KEY_UNATTESTED")
    t.match(refusal?.message, `the token is not bound to public key ${key.publicKeyHex}`)
  }
  const message = `the token's nonce is not that of public key ${key.publicKeyHex}`
  const another = new AttestedKey(key, tokenWith({ nonce: "x" }))
  t.throws(() => requireAttestedKey(readAttestedStamp(another.stamp(BODY)), BODY), {
    message: new RegExp(message),
  })
  const swapped = byContact().stamp(BODY, { scheme: OIDC_SCHEME })
  t.throws(() => readAttestedStamp(swapped), { code: "OIDC_TOKEN_INVALID", field: "publicKeyAttestation" })
  const other = by.stamp(BODY, { scheme: CONTACT_SCHEME })
  t.throws(() => readAttestedStamp(other), {
    code: "VERIFICATION_TOKEN_INVALID",
    field: "publicKeyAttestation",
  })
})

t.test("an attested stamp is of the kind of credential that its scheme names", async (t) => {
  const conditions = { nowMs: 0, origins: () => undefined }
  const stored = { oauthProvider: { oauthProvider: {} }, contact: { contact: {} } }
  const codeFor = (owner: keyof typeof stored, stamper: AttestedKey) =>
    codeOf(() =>
      requireStampByCredential(stored[owner], readAttestedStamp(stamper.stamp(BODY)), BODY, conditions),
    )
  t.equal(codeFor("oauthProvider", by), "none")
  t.equal(codeFor("contact", byContact()), "none")
  t.equal(codeFor("contact", by), "STAMP_SCHEME_MISMATCH")
  t.equal(codeFor("oauthProvider", byContact()), "STAMP_SCHEME_MISMATCH")
  const unknown = unknownCredential(readAttestedStamp(byContact().stamp(BODY)), "org")
  t.match(unknown, { code: "IDENTITY_UNKNOWN", message: /^contact of exactly one user could not be found/ })
  t.notMatch(unknown.message, "ann@", "the contact itself is not repeated")
})

t.test("an attested stamp is verified for the identity of its kind alone", async (t) => {
  const conditions = { nowMs: 0, origins: () => undefined }
  const verifying = (stored: object, header: string, body = BODY) =>
    codeOf(() => requireStampByCredential(stored as never, readAttestedStamp(header), body, conditions))
  t.equal(verifying({ oauthProvider: {} }, by.stamp(BODY)), "none")
  t.equal(verifying({ oauthProvider: {} }, by.stamp(BODY), Buffer.from("[]")), "STAMP_INVALID")
  t.equal(verifying({ contact: {} }, by.stamp(BODY)), "STAMP_SCHEME_MISMATCH")
  t.equal(
    verifying({ apiKey: { publicKey: key.publicKeyHex, type: 1, expiresAtMs: 0n } }, by.stamp(BODY)),
    "STAMP_SCHEME_MISMATCH",
  )
  const keyStamp = readStamp(stampBy(key, BODY).xStamp ?? "")
  for (const stored of [{ oauthProvider: {} }, { contact: {} }])
    t.equal(
      codeOf(() => requireStampByCredential(stored, keyStamp, BODY, conditions)),
      "STAMP_SCHEME_MISMATCH",
    )
})

t.test("the refusal of an unknown credential names what was looked for", async (t) => {
  const where = "could not be found in organization or its parent organization"
  const identity = unknownCredential(readAttestedStamp(by.stamp(BODY)), "org")
  t.equal(identity.code, "IDENTITY_UNKNOWN")
  t.match(identity.message, `OIDC identity ${where}: organizationId=org issuer=https://idp.example audience=`)
  t.match(identity.message, /audience=\S+ subject=\S+$/)
  const unknown = unknownCredential(readStamp(stampBy(key, BODY).xStamp ?? ""), "org")
  t.equal(unknown.code, "CREDENTIAL_UNKNOWN")
  t.match(
    unknown.message,
    `public key in organization or its parent organization: organizationId=org publicKey=${key.publicKeyHex}`,
  )
  const passkey = unknownCredential({ kind: "passkey", credentialId: Buffer.of(1) } as never, "org")
  t.equal(passkey.code, "PASSKEY_UNKNOWN")
})

t.test("the refusals of stamps say what is known", async (t) => {
  const stamp = readStamp(stampBy(key, BODY).xStamp ?? "")
  const wrong = refusalOf(() => requireStamp(stamp, Buffer.from("[]")))
  t.match(wrong?.message, /did not sign this body: another private key, or the body changed after stamping$/)
  t.match(STAMP_SCHEMES, "SIGNATURE_SCHEME_TK_API_P256, SIGNATURE_SCHEME_TK_API_SECP256K1, ")
})
