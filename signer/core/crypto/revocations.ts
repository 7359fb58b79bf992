import { verify, type X509Certificate } from "node:crypto"

/** The numbers that an authority's list revokes (RFC 5280 §5), and the list's own number and times. */
export type RevocationList = {
  /** DER of the issuer's name. */
  issuer: Uint8Array
  /** Number of the list, 0 if it has none: a later list of an authority has a higher one. */
  number: bigint
  /** Unix time in milliseconds after which OpenSSL refuses every certificate of this authority; undefined: none. */
  expiresAtMs: number | undefined
  /** Serial numbers as X509Certificate has them: hexadecimal, upper case. */
  serials: ReadonlyMap<string, { atMs: number }>
  /** True if this certificate's key signed the list. */
  isOf(authority: X509Certificate): boolean
}

const PEM = /-----BEGIN X509 CRL-----([^-]+)-----END X509 CRL-----/g

/** Place of an authority's list: beside its certificate, with the ending `.crl` in the place of its own. */
export function revocationFileOf(caFile: string): string {
  return caFile.replace(/(?:\.[^./]*)?$/, ".crl")
}

/** The lists of a file, each in PEM, as Node's TLS takes them. */
export function pemsOfLists(content: Buffer): string[] {
  return [...content.toString().matchAll(PEM)].map(([pem]) => pem)
}

/** A list in PEM (RFC 7468 §6), from its DER. */
export function pemOfList(der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString("base64")
      .match(/.{1,64}/g) ?? []
  return ["-----BEGIN X509 CRL-----", ...lines, "-----END X509 CRL-----", ""].join("\n")
}

/** DER of the first list of a text in PEM; empty: it has none. */
export function derOfList(pem: string): Uint8Array {
  const [[, base64 = ""] = []] = pem.matchAll(PEM)
  return Uint8Array.from(Buffer.from(base64, "base64"))
}

/** Reads the lists of a file in PEM; undefined: it has none, or one that cannot be read. */
export function readRevocationLists(content: Buffer): RevocationList[] | undefined {
  const lists = [...content.toString().matchAll(PEM)].map(([, base64 = ""]) =>
    readRevocationList(Buffer.from(base64, "base64")),
  )
  return lists.length > 0 && lists.every((list) => list !== undefined) ? lists : undefined
}

/** Reads the DER of one list; undefined: it is none. Nothing of it is authentic before `isOf`, which takes signatures with SHA-256. */
export function readRevocationList(der: Buffer): RevocationList | undefined {
  try {
    const [signed, algorithm, signature, ...more] = childrenOf(der, 0x30)
    if (signed === undefined || algorithm === undefined || signature?.tag !== 0x03) return undefined
    // No signature covers what follows, and OpenSSL refuses it.
    if (more.length > 0) return undefined
    if (signature.content[0] !== 0) return undefined
    const members = childrenOf(signed.whole, 0x30)
    // Version is there exactly where extensions are; then come algorithm, issuer, times and entries.
    const [innerAlgorithm, issuer, ...rest] = members[0]?.tag === 0x02 ? members.slice(1) : members
    if (innerAlgorithm?.whole.equals(algorithm.whole) !== true || issuer?.tag !== 0x30) return undefined
    const [, nextUpdate] = rest.filter(({ tag }) => tag === 0x17 || tag === 0x18)
    const entries = rest.find(({ tag }) => tag === 0x30)
    const extensions = rest.find(({ tag }) => tag === 0xa0)
    return {
      issuer: issuer.whole,
      number: extensions === undefined ? 0n : numberIn(extensions.content),
      expiresAtMs: nextUpdate && timeOf(nextUpdate),
      serials: new Map(entries === undefined ? [] : childrenOf(entries.whole, 0x30).map(entryOf)),
      isOf: ({ publicKey }) => verify("sha256", signed.whole, publicKey, signature.content.subarray(1)),
    }
  } catch {
    return undefined
  }
}

type Element = { tag: number; content: Buffer; whole: Buffer }

/** The element at the beginning of the bytes (X.690 §8.1). @throws {RangeError} */
function elementOf(bytes: Buffer): Element {
  const [tag = 0, first = 0] = bytes
  const count = first < 0x80 ? 0 : first & 0x7f
  if (bytes.length < 2 || count > 4 || (first >= 0x80 && count === 0)) throw new RangeError("no DER")
  const length = count === 0 ? first : bytes.readUIntBE(2, count)
  const end = 2 + count + length
  if (bytes.length < end) throw new RangeError("an element is cut off")
  return { tag, content: bytes.subarray(2 + count, end), whole: bytes.subarray(0, end) }
}

/** @throws {RangeError} when the bytes are no constructed element of this tag alone */
function childrenOf(bytes: Buffer, tag: number): Element[] {
  const parent = elementOf(bytes)
  if (parent.tag !== tag || parent.whole.length !== bytes.length) throw new RangeError("another element")
  const children: Element[] = []
  for (let rest = parent.content; rest.length > 0; ) {
    const child = elementOf(rest)
    children.push(child)
    rest = rest.subarray(child.whole.length)
  }
  return children
}

function entryOf({ whole }: Element): [string, { atMs: number }] {
  const [serial, time] = childrenOf(whole, 0x30)
  if (serial?.tag !== 0x02 || time === undefined) throw new RangeError("no entry")
  return [serialOf(serial.content), { atMs: timeOf(time) }]
}

/** As Node prints serial numbers: without a leading byte of zeros. */
function serialOf(bytes: Buffer): string {
  const hex = bytes.toString("hex").toUpperCase()
  return hex.length > 2 && hex.startsWith("00") ? hex.slice(2) : hex
}

/** UTCTime or GeneralizedTime (RFC 5280 §5.1.2.4). */
function timeOf({ tag, content }: Element): number {
  const text = content.toString("latin1")
  const year = Number(text.slice(0, 2))
  const full = tag === 0x18 ? text : `${year < 50 ? 20 : 19}${text}`
  const [, y, mo, d, h, mi, s] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(full) ?? []
  const timeMs = Date.parse(`${y}-${mo}-${d}T${h}:${mi}:${s}Z`)
  if (Number.isNaN(timeMs)) throw new RangeError("no time")
  return timeMs
}

const CRL_NUMBER = Buffer.from("0603551d14", "hex")

/** The list's number among its extensions; 0: it has none. */
function numberIn(extensions: Buffer): bigint {
  for (const { whole } of childrenOf(extensions, 0x30)) {
    const [id, value] = childrenOf(whole, 0x30)
    if (id === undefined || value === undefined || !id.whole.equals(CRL_NUMBER)) continue
    const { content } = elementOf(value.content)
    return BigInt(`0x${content.toString("hex") || "0"}`)
  }
  return 0n
}
