// @peculiar/x509 needs the metadata API before it loads.
// oxlint-disable-next-line import/no-unassigned-import
import "reflect-metadata"
import { webcrypto } from "node:crypto"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as x509 from "@peculiar/x509"

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" }
const DAY_MS = 24 * 60 * 60 * 1000

export type CertificateFiles = { certificateFile: string; keyFile: string; caFile: string }

/** A certificate authority of one test, which issues for names on this host. */
export class TestAuthority {
  readonly #directory: string
  readonly #keys: CryptoKeyPair
  readonly #certificate: x509.X509Certificate
  #serial = 1

  private constructor(directory: string, keys: CryptoKeyPair, certificate: x509.X509Certificate) {
    this.#directory = directory
    this.#keys = keys
    this.#certificate = certificate
  }

  static async create(directory: string, name = "Test authority"): Promise<TestAuthority> {
    x509.cryptoProvider.set(webcrypto as never)
    mkdirSync(directory, { recursive: true })
    const keys = await generate()
    const certificate = await x509.X509CertificateGenerator.createSelfSigned({
      serialNumber: "01",
      name: `CN=${name}`,
      ...validity(),
      signingAlgorithm: ALGORITHM,
      keys,
      extensions: [new x509.BasicConstraintsExtension(true, 1, true)],
    })
    return new TestAuthority(directory, keys, certificate)
  }

  /** Certificate for a caller or server of this common name; servers answer to `localhost`. */
  async issue(commonName: string): Promise<CertificateFiles> {
    const keys = await generate()
    this.#serial += 1
    const certificate = await x509.X509CertificateGenerator.create({
      serialNumber: this.#serial.toString(16).padStart(2, "0"),
      subject: `CN=${commonName}`,
      issuer: this.#certificate.subject,
      ...validity(),
      signingAlgorithm: ALGORITHM,
      publicKey: keys.publicKey,
      signingKey: this.#keys.privateKey,
      extensions: [new x509.SubjectAlternativeNameExtension([{ type: "dns", value: "localhost" }])],
    })
    const pkcs8 = await webcrypto.subtle.exportKey("pkcs8", keys.privateKey)
    const base = join(this.#directory, `${commonName}-${this.#serial}`)
    const files = { certificateFile: `${base}.crt`, keyFile: `${base}.key`, caFile: `${base}.ca` }
    writeFileSync(files.certificateFile, certificate.toString("pem"))
    writeFileSync(files.keyFile, x509.PemConverter.encode(pkcs8, "PRIVATE KEY"), { mode: 0o600 })
    writeFileSync(files.caFile, this.#certificate.toString("pem"))
    return files
  }
}

/** DER of a certificate for any key. `spki`: its SubjectPublicKeyInfo, DER. */
export async function certificateOf(spki: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  x509.cryptoProvider.set(webcrypto as never)
  const { privateKey: signingKey } = await generate()
  const names = { subject: "CN=Key", issuer: "CN=Whoever" }
  const terms = { ...names, ...validity(), serialNumber: "01", signingAlgorithm: ALGORITHM }
  const publicKey = new x509.PublicKey(spki)
  const certificate = await x509.X509CertificateGenerator.create({ ...terms, publicKey, signingKey })
  return new Uint8Array(certificate.rawData)
}

function validity() {
  return { notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + DAY_MS) }
}

function generate(): Promise<CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]) as Promise<CryptoKeyPair>
}
