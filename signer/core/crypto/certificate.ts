import { createPrivateKey, X509Certificate } from "node:crypto"
import { pemsOfLists, readRevocationLists, type RevocationList, revocationFileOf } from "./revocations.ts"

/**
 * Contents of the PEM files of one end of mutual TLS. `ca`: the authority of the other end. `revocations`: its lists of revoked
 * certificates; undefined: there is no file of them.
 */
export type TlsFiles = {
  certificate: Buffer
  key: Buffer
  ca: Buffer
  revocations?: Buffer | undefined
}

/** Paths of these files that settings name. The lists of revoked certificates lie beside the authority's certificate. */
export type TlsPaths = { readonly [file in "certificate" | "key" | "ca"]: string }

/** Why a file cannot be used; the sentence names no content but names and times of certificates. */
export type TlsFault = { file: keyof TlsFiles; sentence: string }

/** The file system as this room uses it. node:fs fits, and its caller hands it in. */
type FileSystem = { existsSync(path: string): boolean; readFileSync(path: string): Buffer }

/** @throws the file system's error */
export function readTlsFiles(paths: TlsPaths, fs: FileSystem): TlsFiles {
  const file = pathOfFile("revocations", paths)
  return {
    certificate: fs.readFileSync(paths.certificate),
    key: fs.readFileSync(paths.key),
    ca: fs.readFileSync(paths.ca),
    revocations: fs.existsSync(file) ? fs.readFileSync(file) : undefined,
  }
}

export function pathOfFile(file: keyof TlsFiles, paths: TlsPaths): string {
  return file === "revocations" ? revocationFileOf(paths.ca) : paths[file]
}

/** TLS options for the verification of the other end. With a revocation list OpenSSL looks up each certificate. */
export function verifiedBy({ ca, revocations }: Pick<TlsFiles, "ca" | "revocations">) {
  return revocations === undefined ? { ca } : { ca, crl: pemsOfLists(revocations) }
}

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
  if (fault !== undefined && faults.every((each) => each !== undefined))
    return { file: "ca", sentence: fault }
  return files.revocations && faultOfLists(files.revocations, authorities, nowMs)
}

/** OpenSSL refuses every certificate of an authority whose list is missing, expired or signed by another key. */
function faultOfLists(
  content: Buffer,
  authorities: readonly X509Certificate[],
  nowMs: number,
): TlsFault | undefined {
  const lists = readRevocationLists(content)
  if (lists === undefined) return listFault("the file holds no list of revoked certificates in PEM")
  for (const authority of authorities) {
    const list = lists.find((each) => each.isOf(authority))
    if (list === undefined)
      return listFault(
        `no list of revoked certificates in the file is signed by ${nameOf(authority)} with SHA-256`,
      )
    const { expiresAtMs } = list
    if (expiresAtMs !== undefined && nowMs >= expiresAtMs)
      return listFault(
        `the list of revoked certificates of ${nameOf(authority)} expired at ${new Date(expiresAtMs).toISOString()}: issue the next one`,
      )
  }
  return undefined
}

const listFault = (sentence: string): TlsFault => ({ file: "revocations", sentence })

/**
 * Why a process does not go over to other files: a certificate that was revoked would count again. The lists of an authority that counts
 * no more are not needed.
 */
export function withdrawalIn(former: TlsFiles, next: TlsFiles): TlsFault | undefined {
  const authorities = read("ca", next.ca)
  if ("sentence" in authorities) return authorities
  for (const list of listsIn(former).filter((each) => authorities.some((one) => each.isOf(one)))) {
    const successor = listsIn(next).find(({ issuer }) => Buffer.from(issuer).equals(list.issuer))
    if (successor === undefined)
      return listFault("the file with the list of revoked certificates is gone: put it back")
    if (successor.number < list.number)
      return listFault(
        "the list of revoked certificates is older than the one in use: put the newest one there",
      )
  }
  return undefined
}

/** What a process knows of revoked certificates, for people. */
export function revocationsIn(files: Pick<TlsFiles, "revocations">): string {
  if (files.revocations === undefined)
    return "no list of revoked certificates is beside the CA file: no certificate is refused by one"
  const revoked = listsIn(files).reduce((sum, { serials }) => sum + serials.size, 0)
  return `the list of revoked certificates has ${revoked}`
}

const listsIn = ({ revocations }: Pick<TlsFiles, "revocations">): readonly RevocationList[] =>
  (revocations && readRevocationLists(revocations)) ?? []

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
