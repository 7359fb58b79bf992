import "reflect-metadata"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import * as x509 from "@peculiar/x509"

/** Files of one party, PEM. */
export type Certificate = { certificateFile: string; keyFile: string }
export type Certificates = { caFile: string; signer: Certificate; api: Certificate }

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" }
const DAY_MS = 24 * 60 * 60 * 1000

/** An authority of its own and a certificate for either end, good for a day. */
export async function makeCertificates(directory: string): Promise<Certificates> {
  const authority = await newKeys()
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    name: "CN=countersign bench",
    keys: authority,
    signingAlgorithm: ALGORITHM,
    ...validity(),
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  })
  const caFile = join(directory, "ca.pem")
  await writeFile(caFile, ca.toString("pem"))

  async function issue(name: string, names: x509.JsonGeneralName[], usage: string): Promise<Certificate> {
    const keys = await newKeys()
    const certificate = await x509.X509CertificateGenerator.create({
      subject: `CN=${name}`,
      issuer: ca.subject,
      publicKey: keys.publicKey,
      signingKey: authority.privateKey,
      signingAlgorithm: ALGORITHM,
      ...validity(),
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([usage]),
        new x509.SubjectAlternativeNameExtension(names),
      ],
    })
    const certificateFile = join(directory, `${name}.pem`)
    const keyFile = join(directory, `${name}.key`)
    await writeFile(certificateFile, certificate.toString("pem"))
    const der = await crypto.subtle.exportKey("pkcs8", keys.privateKey)
    await writeFile(keyFile, x509.PemConverter.encode(der, "PRIVATE KEY"), { mode: 0o600 })
    return { certificateFile, keyFile }
  }

  return {
    caFile,
    signer: await issue("signer", [{ type: "dns", value: "localhost" }], x509.ExtendedKeyUsage.serverAuth),
    api: await issue("api", [{ type: "dns", value: "api" }], x509.ExtendedKeyUsage.clientAuth),
  }
}

function newKeys() {
  return crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"])
}

function validity() {
  return { notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + DAY_MS) }
}
