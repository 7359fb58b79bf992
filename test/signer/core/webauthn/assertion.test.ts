import t from "tap"
import { type AssertionTarget, requireAssertion } from "../../../../signer/core/webauthn/assertion.ts"
import { verifyRegistration } from "../../../../signer/core/webauthn/registration.ts"
import { type Departure, Passkey } from "../../../harness/authenticator.ts"
import { faultOf } from "./faults.ts"

const challenge = Buffer.from("a challenge").toString("base64url")
const es256 = new Passkey()
const rs256 = new Passkey({ algorithm: "RS256" })
const eddsa = new Passkey({ algorithm: "EdDSA" })

function targetOf(passkey: Passkey, origins?: readonly string[]): AssertionTarget {
  const { challenge: sent, attestation } = passkey.create()
  const { publicKey, rpIdHash } = verifyRegistration({ ...attestation, challenge: sent }, undefined)
  return { challenge, publicKey, rpIdHash, origins }
}

const kindOf = (departure: Departure, target = targetOf(es256), passkey = es256) =>
  faultOf(() => requireAssertion(passkey.get(challenge, departure), target))

t.test("takes what the registered key signed, with ES256, EdDSA and RS256", async (t) => {
  t.equal(kindOf({}), "none")
  t.equal(kindOf({}, targetOf(rs256), rs256), "none")
  t.equal(kindOf({}, targetOf(eddsa), eddsa), "none")
  t.equal(kindOf({ flags: 0x05 }), "none", "user verified")
  t.equal(kindOf({ flags: 0x1d }), "none", "backed up")
})

t.test("B7: refuses another type, challenge, relying party, or nobody there", async (t) => {
  t.equal(kindOf({ type: "webauthn.create" }), "ceremony")
  t.equal(kindOf({ type: "payment.get" }), "ceremony")
  t.equal(kindOf({ challenge: `${challenge}A` }), "challenge")
  t.equal(kindOf({ challenge: `${challenge}=` }), "challenge", "browsers write no padding")
  t.equal(kindOf({ rpId: "evil.example" }), "ceremony")
  t.equal(kindOf({ flags: 0x00 }), "ceremony")
  t.equal(kindOf({ flags: 0x04 }), "ceremony", "verified, yet not present")
})

t.test("B7: refuses another key's signature, and each flipped bit", async (t) => {
  const target = targetOf(es256)
  t.equal(kindOf({ signer: new Passkey().privateKey }), "signature")
  t.equal(kindOf({ signer: rs256.privateKey }), "signature", "RSA where P-256 is registered")
  t.equal(kindOf({}, targetOf(rs256), es256), "signature", "P-256 where RSA is registered")
  t.equal(kindOf({}, targetOf(eddsa), es256), "signature", "P-256 where Ed25519 is registered")
  t.equal(kindOf({ signer: eddsa.privateKey }), "signature", "Ed25519 where P-256 is registered")
  t.equal(kindOf({}, targetOf(eddsa), new Passkey({ algorithm: "EdDSA" })), "signature", "another's Ed25519")
  const kept: string[] = []
  for (const member of ["authenticatorData", "clientDataJson", "signature"] as const) {
    const assertion = es256.get(challenge)
    for (let bit = 0; bit < assertion[member].length * 8; bit++) {
      const altered = Buffer.from(assertion[member])
      altered[bit >> 3]! ^= 1 << (bit & 7)
      if (faultOf(() => requireAssertion({ ...assertion, [member]: altered }, target)) === "none") {
        kept.push(`${member} ${bit}`)
      }
    }
  }
  t.same(kept, [])
})

t.test("B7: refuses signatures with anything before, behind or missing", async (t) => {
  for (const passkey of [es256, rs256]) {
    const target = targetOf(passkey)
    const assertion = passkey.get(challenge)
    const signatures = [
      Buffer.concat([assertion.signature, Buffer.of(0)]),
      Buffer.concat([Buffer.of(0), assertion.signature]),
      assertion.signature.subarray(0, -1),
      Buffer.alloc(0),
      Buffer.alloc(64, 1),
    ]
    for (const signature of signatures) {
      t.equal(
        faultOf(() => requireAssertion({ ...assertion, signature }, target)),
        "signature",
      )
    }
  }
})

t.test(
  "asks for the origin only where origins are set, of the page and of what lies around it",
  async (t) => {
    const target = targetOf(es256, ["https://example.org", "https://app.example.org"])
    const kind = (departure: Departure) => kindOf(departure, target)
    t.equal(kind({}), "none")
    t.equal(kind({ origin: "https://app.example.org" }), "none")
    t.equal(kind({ origin: "https://example.org:8443" }), "origin")
    t.equal(kind({ origin: "http://example.org" }), "origin")
    t.equal(kind({ origin: "https://example.org/" }), "origin")
    t.equal(kind({ more: { crossOrigin: true } }), "origin", "a frame that does not say where")
    t.equal(kind({ more: { crossOrigin: true, topOrigin: "https://evil.example" } }), "origin")
    t.equal(kind({ more: { topOrigin: "https://evil.example" } }), "origin")
    t.equal(kind({ more: { crossOrigin: true, topOrigin: "https://app.example.org" } }), "none")
    t.equal(kindOf({ origin: "https://evil.example", more: { crossOrigin: true } }), "none", "nothing is set")
    t.equal(kindOf({}, targetOf(es256, [])), "origin", "a setting that names none")
  },
)
