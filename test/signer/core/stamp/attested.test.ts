import t from "tap"
import { readAttestedStamp, requireAttestedKey } from "../../../../signer/core/stamp/attested.ts"
import { verifyStoredStamp } from "../../../../signer/core/stamp/verify.ts"
import { stampParts } from "../../../../signer/core/stamp/read-stamp.ts"
import { Refusal } from "../../../../signer/core/refusal.ts"
import { AttestedKey, nonceOf } from "../../../harness/attested.ts"
import { claimsOf, idToken, issuerKey } from "../../../harness/id-token.ts"
import { newKey } from "../../../harness/stamper.ts"

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
  const stored = stampParts(readAttestedStamp(by.stamp(BODY)))
  t.equal(stored.credential, by.credential)
  t.ok(verifyStoredStamp(stored, BODY))
  t.notOk(verifyStoredStamp(stored, Buffer.from("{} ")))
})
