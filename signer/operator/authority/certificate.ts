import { createHash, createPublicKey, type KeyObject, sign } from "node:crypto"
import {
  bitString,
  booleanTrue,
  explicit,
  implicit,
  objectIdentifier,
  octetString,
  sequence,
  setOf,
  time,
  unsignedInteger,
  utf8String,
} from "./der.ts"

/** The use of a certificate. `host`: the name by which callers connect to the server. */
export type Purpose = { kind: "authority" } | { kind: "server"; host: string } | { kind: "caller" }

export type NewCertificateTerms = {
  /** Common name. */
  name: string
  publicKey: KeyObject
  purpose: Purpose
  /** Unsigned number, big-endian, at most 20 bytes with a clear highest bit. */
  serial: Uint8Array
  fromMs: number
  toMs: number
}

/** Common name and key of the authority that signs. */
export type Issuer = { name: string; privateKey: KeyObject }

const V3 = Uint8Array.of(2)
/** ecdsa-with-SHA256 (RFC 5758 §3.2), without parameters. */
export const SIGNATURE_ALGORITHM = sequence(objectIdentifier("1.2.840.10045.4.3.2"))
const COMMON_NAME = "2.5.4.3"
const EXTENSION = {
  subjectKeyIdentifier: "2.5.29.14",
  keyUsage: "2.5.29.15",
  subjectAltName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  crlNumber: "2.5.29.20",
  authorityKeyIdentifier: "2.5.29.35",
  extendedKeyUsage: "2.5.29.37",
} as const
const SERVER_AUTH = "1.3.6.1.5.5.7.3.1"
const CLIENT_AUTH = "1.3.6.1.5.5.7.3.2"

/** A certificate of version 3 (RFC 5280 §4.1) for keys of P-256, signed by the issuer. DER. */
export function writeCertificate(terms: NewCertificateTerms, issuer: Issuer): Buffer {
  const { name, publicKey, serial, fromMs, toMs } = terms
  const toBeSigned = sequence(
    explicit(0, unsignedInteger(V3)),
    unsignedInteger(serial),
    SIGNATURE_ALGORITHM,
    distinguishedName(issuer.name),
    sequence(time(fromMs), time(toMs)),
    distinguishedName(name),
    publicKey.export({ format: "der", type: "spki" }),
    explicit(3, sequence(...extensionsOf(terms, createPublicKey(issuer.privateKey)))),
  )
  const signature = sign("sha256", toBeSigned, issuer.privateKey)
  return sequence(toBeSigned, SIGNATURE_ALGORITHM, bitString(signature))
}

export function distinguishedName(commonName: string): Buffer {
  return sequence(setOf(sequence(objectIdentifier(COMMON_NAME), utf8String(commonName))))
}

function extensionsOf({ purpose, publicKey }: NewCertificateTerms, issuerKey: KeyObject): Buffer[] {
  const ownId = extension("subjectKeyIdentifier", octetString(keyIdentifier(publicKey)))
  const issuerId = authorityKeyIdentifier(issuerKey)
  switch (purpose.kind) {
    case "authority":
      // It issues for processes and for no further authority: path length 0. keyCertSign and cRLSign are bits 5 and 6.
      return [
        critical("basicConstraints", sequence(booleanTrue(), unsignedInteger(Uint8Array.of(0)))),
        critical("keyUsage", bitString(Uint8Array.of(0x06), 1)),
        ownId,
      ]
    case "server":
      return [
        ...ofProcess(SERVER_AUTH),
        extension("subjectAltName", sequence(implicit(2, Buffer.from(purpose.host)))),
        ownId,
        issuerId,
      ]
    case "caller":
      return [...ofProcess(CLIENT_AUTH), ownId, issuerId]
    default:
      return purpose satisfies never
  }
}

export function authorityKeyIdentifier(issuerKey: KeyObject): Buffer {
  return extension("authorityKeyIdentifier", sequence(implicit(0, keyIdentifier(issuerKey))))
}

/** Extensions of a process's certificate: not an authority; key usage digitalSignature, bit 0. */
function ofProcess(usage: string): Buffer[] {
  return [
    critical("basicConstraints", sequence()),
    critical("keyUsage", bitString(Uint8Array.of(0x80), 7)),
    extension("extendedKeyUsage", sequence(objectIdentifier(usage))),
  ]
}

export function extension(name: keyof typeof EXTENSION, value: Uint8Array): Buffer {
  return sequence(objectIdentifier(EXTENSION[name]), octetString(value))
}

/** A verifier that does not know a critical extension refuses the certificate (RFC 5280 §4.2). */
function critical(name: keyof typeof EXTENSION, value: Uint8Array): Buffer {
  return sequence(objectIdentifier(EXTENSION[name]), booleanTrue(), octetString(value))
}

/** The leftmost 160 bits of SHA-256 of the public key's bits (RFC 7093 §2). */
function keyIdentifier(publicKey: KeyObject): Buffer {
  const point = publicKey.export({ format: "der", type: "spki" }).subarray(-65)
  return createHash("sha256").update(point).digest().subarray(0, 20)
}
