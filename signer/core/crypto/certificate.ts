import { createPrivateKey, X509Certificate } from "node:crypto"

/** Contents of the PEM files of one end of mutual TLS. `ca`: the authority of the other end. */
export type TlsFiles = { certificate: Buffer; key: Buffer; ca: Buffer }

/** Why a file cannot be used; the sentence names no content but names and times of certificates. */
export type TlsFault = { file: keyof TlsFiles; sentence: string }

/** Checks form, validity at a Unix time in milliseconds, and that the key belongs to the certificate. */
export function tlsFaultOf(files: TlsFiles, nowMs: number): TlsFault | undefined {
  const chain = read("certificate", files.certificate)
  const authorities = read("ca", files.ca)
  if ("sentence" in chain) return chain
  if ("sentence" in authorities) return authorities
  const [own] = chain
  const key = readKey(files.key)
  if (key === undefined)
    return { file: "key", sentence: "the file holds no private key in PEM, or one with a passphrase" }
  if (own?.checkPrivateKey(key) !== true)
    return { file: "key", sentence: `the key does not belong to the certificate of ${nameOf(own)}` }
  const stale = chain.map((each) => staleness(each, nowMs)).find((each) => each !== undefined)
  if (stale !== undefined) return { file: "certificate", sentence: stale }
  // An authority is renewed beside its predecessor in one file.
  const faults = authorities.map((each) => staleness(each, nowMs))
  const [fault] = faults
  return fault !== undefined && faults.every((each) => each !== undefined)
    ? { file: "ca", sentence: fault }
    : undefined
}

/** Common names of a certificate's subject and issuer, and the Unix time in milliseconds at which it or its chain expires. */
export type CertificateTerms = { name: string; issuer: string; expiresAtMs: number }

/** @throws {Error} for a file without a certificate */
export function certificateOf({ certificate }: Pick<TlsFiles, "certificate">): CertificateTerms {
  const chain = read("certificate", certificate)
  if ("sentence" in chain) throw new Error(chain.sentence)
  return termsOf(chain)
}

/** @param chain the certificate, then those of its issuers */
export function termsOf(chain: readonly X509Certificate[]): CertificateTerms {
  return {
    name: commonName(chain[0]?.subject),
    issuer: commonName(chain[0]?.issuer),
    expiresAtMs: Math.min(...chain.map(({ validTo }) => Date.parse(validTo))),
  }
}

const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

function read(file: keyof TlsFiles, content: Buffer): X509Certificate[] | TlsFault {
  try {
    const certificates = (content.toString().match(PEM) ?? []).map((pem) => new X509Certificate(pem))
    if (certificates.length > 0) return certificates
  } catch {
    // Told below.
  }
  return { file, sentence: "the file holds no certificate in PEM" }
}

function readKey(content: Buffer) {
  try {
    return createPrivateKey(content)
  } catch {
    return undefined
  }
}

function staleness(certificate: X509Certificate, nowMs: number): string | undefined {
  const [from, to] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)]
  const name = nameOf(certificate)
  const now = new Date(nowMs).toISOString()
  if (nowMs >= to)
    return `the certificate of ${name} expired at ${new Date(to).toISOString()}, and it is ${now}; renew it`
  if (nowMs < from)
    return `the certificate of ${name} is valid from ${new Date(from).toISOString()}, and it is ${now}; check the clock`
  return undefined
}

/** The subject's common name, otherwise the whole subject. */
function nameOf(certificate: X509Certificate | undefined): string {
  return commonName(certificate?.subject)
}

function commonName(name = ""): string {
  return /^CN=(.*)$/m.exec(name)?.[1] ?? (name.replaceAll("\n", ", ") || "an unnamed subject")
}
