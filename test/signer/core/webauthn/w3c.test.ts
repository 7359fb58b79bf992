import t from "tap"
import { requireAssertion } from "../../../../signer/core/webauthn/assertion.ts"
import { type Registration, verifyRegistration } from "../../../../signer/core/webauthn/registration.ts"
import { publishedVectors } from "../../../harness/vectors.ts"
import { faultOf } from "./faults.ts"

/** W3C Web Authentication Level 3, section "Test Vectors"; all values hexadecimal. */
type Vectors = {
  origin: string
  credentials: { id: string; registration: Ceremony; authentication: Ceremony }[]
}
type Ceremony = Record<string, string>

/** Credentials of algorithms that are not registered here: everything about them is right but the algorithm. */
const OTHER_ALGORITHMS = ["packed-es384", "packed-es512", "packed-ed448"]

const bytes = (hex: string | undefined) => Buffer.from(hex ?? "", "hex")
const base64url = (hex: string | undefined) => bytes(hex).toString("base64url")

const { options, read } = publishedVectors<Vectors>("webauthn/credentials.json")

t.test("B7: agrees with the test vectors of Web Authentication Level 3", options, async (t) => {
  const { credentials, origin } = read()
  t.equal(credentials.length, 15)
  for (const { id, registration, authentication } of credentials) {
    const sent = registrationOf(registration)
    if (OTHER_ALGORITHMS.includes(id)) {
      t.equal(
        faultOf(() => verifyRegistration(sent, undefined)),
        "key",
        id,
      )
      continue
    }
    const kept = verifyRegistration(sent, undefined)
    t.same(Buffer.from(kept.credentialId), bytes(registration["credential_id"]), `${id}: credential id`)
    t.same(Buffer.from(kept.aaguid), bytes(registration["aaguid"]), `${id}: aaguid`)
    t.equal(id.startsWith(kept.attestationType), true, `${id}: ${kept.attestationType}`)
    const isFramed = id.includes("rigin")
    t.equal(
      faultOf(() => verifyRegistration(sent, [origin])),
      isFramed ? "origin" : "none",
      `${id}: origin`,
    )

    const { authenticatorData, clientDataJSON, signature, challenge } = authentication
    const assertion = {
      authenticatorData: bytes(authenticatorData),
      clientDataJson: bytes(clientDataJSON),
      signature: bytes(signature),
    }
    const target = { ...kept, challenge: base64url(challenge), origins: undefined }
    t.equal(
      faultOf(() => requireAssertion(assertion, target)),
      "none",
      `${id}: assertion`,
    )
    const flipped = Buffer.from(assertion.signature)
    flipped[flipped.length - 1]! ^= 1
    t.equal(
      faultOf(() => requireAssertion({ ...assertion, signature: flipped }, target)),
      "signature",
      id,
    )
  }
})

t.test(
  "B7: refuses published packed attestations with a bit flipped in the signature",
  options,
  async (t) => {
    const packed = read().credentials.filter(({ id }) => /^packed-(self-)?(es256|rs256)$/.test(id))
    t.equal(packed.length, 3)
    for (const { id, registration } of packed) {
      const object = bytes(registration["attestationObject"])
      const at = object.indexOf("sig") + "sig".length + 2 + 40
      object[at]! ^= 1
      const sent = { ...registrationOf(registration), attestationObject: object.toString("base64url") }
      t.equal(
        faultOf(() => verifyRegistration(sent, undefined)),
        "signature",
        id,
      )
    }
  },
)

function registrationOf(ceremony: Ceremony): Registration {
  return {
    challenge: base64url(ceremony["challenge"]),
    credentialId: base64url(ceremony["credential_id"]),
    clientDataJson: base64url(ceremony["clientDataJSON"]),
    attestationObject: base64url(ceremony["attestationObject"]),
  }
}
