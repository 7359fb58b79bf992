// Statements by certificates, made for the test; published ones are in w3c.test.ts.
// @peculiar/x509 needs the metadata API before it loads.
// oxlint-disable-next-line import/no-unassigned-import
import "reflect-metadata"
import { KeyObject, sign, webcrypto } from "node:crypto"
import * as x509 from "@peculiar/x509"
import t from "tap"
import { verifyRegistration } from "../../../../signer/core/webauthn/registration.ts"
import { Passkey } from "../../../harness/authenticator.ts"
import { CborPairs } from "../../../harness/cbor-writer.ts"
import { faultOf } from "./faults.ts"

const P256 = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" }
const P384 = { name: "ECDSA", namedCurve: "P-384", hash: "SHA-384" }
const rsa = (modulusLength: number) => ({
  name: "RSASSA-PKCS1-v1_5",
  modulusLength,
  publicExponent: new Uint8Array([1, 0, 1]),
  hash: "SHA-256",
})

type Maker = { certificate: Buffer; privateKey: KeyObject }

async function maker(algorithm: typeof P256 | ReturnType<typeof rsa>): Promise<Maker> {
  x509.cryptoProvider.set(webcrypto as never)
  const keys = (await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"])) as CryptoKeyPair
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: "01",
    name: "CN=Maker of authenticators",
    notBefore: new Date(0),
    notAfter: new Date(1),
    signingAlgorithm: algorithm,
    keys,
  })
  return {
    certificate: Buffer.from(certificate.rawData),
    privateKey: KeyObject.from(keys.privateKey),
  }
}

const passkey = new Passkey()

function attestedBy({ certificate, privateKey }: Maker, alg: number, digest = "sha256", x5c?: Uint8Array[]) {
  const statement = (signed: Buffer) =>
    new CborPairs(["alg", alg], ["sig", sign(digest, signed, privateKey)], ["x5c", x5c ?? [certificate]])
  const { challenge, attestation } = passkey.create("key", { format: "packed", statement })
  return faultOf(() => verifyRegistration({ challenge, ...attestation }, undefined))
}

t.test("B7: verifies a packed statement by the key of its first certificate", async (t) => {
  const [small, large, other] = [await maker(P256), await maker(P384), await maker(P256)]
  t.equal(attestedBy(small, -7), "none")
  t.equal(attestedBy(large, -35, "sha384"), "none")
  t.equal(attestedBy(await maker(rsa(2048)), -257), "none")
  t.equal(
    attestedBy(small, -7, "sha256", [small.certificate, other.certificate]),
    "none",
    "a chain is not followed",
  )
  t.equal(
    attestedBy(small, -7, "sha256", [other.certificate, small.certificate]),
    "signature",
    "another's first",
  )
  t.equal(attestedBy(small, -7, "sha384"), "signature", "another digest")
})

t.test(
  "B7: refuses certificates whose key is not of the algorithm named, or of a size that is not verified",
  async (t) => {
    const [small, large] = [await maker(P256), await maker(P384)]
    t.equal(attestedBy(large, -7), "signature", "P-384 as ES256")
    t.equal(attestedBy(small, -257), "signature", "P-256 as RS256")
    t.equal(attestedBy(await maker(rsa(1024)), -257), "signature", "RSA of 1024 bits")
    t.equal(attestedBy(small, -65535, "sha1"), "malformed", "RS1")
  },
)

t.test("B7: refuses what is no certificate in DER", async (t) => {
  const small = await maker(P256)
  const pem = Buffer.from(new x509.X509Certificate(Uint8Array.from(small.certificate)).toString("pem"))
  t.equal(attestedBy(small, -7, "sha256", [pem]), "malformed")
  t.equal(attestedBy(small, -7, "sha256", [small.certificate.subarray(0, -1)]), "malformed")
  t.equal(attestedBy(small, -7, "sha256", [Buffer.of(0x30, 0x00)]), "malformed")
})
