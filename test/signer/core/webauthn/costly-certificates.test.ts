import { generateKeyPairSync, sign } from "node:crypto"
import t from "tap"
import { verifyRegistration } from "../../../../signer/core/webauthn/registration.ts"
import { Passkey } from "../../../harness/authenticator.ts"
import { certificateOf } from "../../../harness/certificates.ts"
import { CborPairs } from "../../../harness/cbor-writer.ts"
import { faultOf } from "./faults.ts"

const RS256 = -257

/** The result of a registration whose attestation a certified RSA key really signed. */
async function attestedBy(key: { modulusLength: number; publicExponent?: number }): Promise<string> {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", key)
  const certificate = await certificateOf(Uint8Array.from(publicKey.export({ format: "der", type: "spki" })))
  const { challenge, attestation } = new Passkey().create("key", {
    format: "packed",
    statement: (signed) =>
      new CborPairs(["alg", RS256], ["sig", sign("sha256", signed, privateKey)], ["x5c", [certificate]]),
  })
  return faultOf(() => verifyRegistration({ challenge, ...attestation }, undefined))
}

t.test(
  "B3: an attestation's certificate has an RSA key that is quickly verified with, or none",
  async (t) => {
    t.equal(await attestedBy({ modulusLength: 2048 }), "none")
    t.equal(await attestedBy({ modulusLength: 2040 }), "signature", "too weak")
    t.equal(await attestedBy({ modulusLength: 2048, publicExponent: 3 }), "signature", "a short exponent")
    t.equal(await attestedBy({ modulusLength: 2048, publicExponent: 65_539 }), "signature", "a longer one")
  },
)
