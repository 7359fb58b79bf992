/** An address as a number of 32 or 128 bits. */
export type IpAddress = { readonly bits: 32 | 128; readonly value: bigint }

/** All addresses that begin with the same bits; `first` has zeros behind them. */
export type IpBlock = { readonly bits: 32 | 128; readonly first: bigint; readonly prefix: number }

/**
 * Reads an address: dotted decimal without leading zeros, or RFC 4291, section 2.2, without zone. An IPv4 address
 * inside IPv6 (`::ffff:192.0.2.1`, as sockets for both families write it) is that IPv4 address.
 */
export function readIpAddress(text: string): IpAddress | undefined {
  const value = text.includes(":") ? readIpv6(text) : readIpv4(text)
  if (value === undefined) return undefined
  if (!text.includes(":")) return { bits: 32, value }
  return value >> 32n === 0xffffn ? { bits: 32, value: value & 0xffffffffn } : { bits: 128, value }
}

/** Reads CIDR notation (RFC 4632, RFC 4291). Bits behind the prefix are cleared: `192.0.2.7/24` is `192.0.2.0/24`. */
export function readIpBlock(text: string): IpBlock | undefined {
  const [, written = "", length = ""] = /^([^/]+)\/(0|[1-9][0-9]{0,2})$/.exec(text) ?? []
  const address = readIpAddress(written)
  const prefix = Number(length)
  // For an IPv4 address written as IPv6 the prefix would be ambiguous.
  if (address === undefined || prefix > address.bits || (address.bits === 32 && written.includes(":")))
    return undefined
  const behind = BigInt(address.bits - prefix)
  return { bits: address.bits, first: (address.value >> behind) << behind, prefix }
}

/** The one spelling of a block: dotted decimal, or RFC 5952. */
export function writeIpBlock({ bits, first, prefix }: IpBlock): string {
  return `${writeIpAddress({ bits, value: first })}/${prefix}`
}

/** The one spelling of an address: dotted decimal, or RFC 5952. */
export function writeIpAddress({ bits, value }: IpAddress): string {
  return bits === 32 ? writeIpv4(value) : writeIpv6(value)
}

export function isInBlock({ bits, value }: IpAddress, block: IpBlock): boolean {
  const behind = BigInt(block.bits - block.prefix)
  return bits === block.bits && value >> behind === block.first >> behind
}

const OCTET = /^(?:0|[1-9][0-9]{0,2})$/

function readIpv4(text: string): bigint | undefined {
  const octets = text.split(".")
  if (octets.length !== 4 || !octets.every((octet) => OCTET.test(octet) && Number(octet) < 256))
    return undefined
  return octets.reduce((sum, octet) => (sum << 8n) | BigInt(octet), 0n)
}

const GROUP = /^[0-9a-f]{1,4}$/i
const GROUPS = 8

function readIpv6(text: string): bigint | undefined {
  const halves = text.split("::")
  if (halves.length > 2) return undefined
  const [head, tail] = [readGroups(halves[0] ?? "", halves.length === 1), readGroups(halves[1] ?? "", true)]
  if (head === undefined || tail === undefined) return undefined
  const missing = GROUPS - head.length - tail.length
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined
  const groups = [...head, ...Array<bigint>(missing).fill(0n), ...tail]
  return groups.reduce((sum, group) => (sum << 16n) | group, 0n)
}

/** Groups between colons; the last two of an address may be written as an IPv4 address. */
function readGroups(text: string, isLast: boolean): bigint[] | undefined {
  if (text === "") return []
  const parts = text.split(":")
  const dotted = isLast && parts.at(-1)?.includes(".") ? readIpv4(parts.pop() ?? "") : 0n
  if (dotted === undefined || !parts.every((part) => GROUP.test(part))) return undefined
  const groups = parts.map((part) => BigInt(`0x${part}`))
  return text.includes(".") ? [...groups, dotted >> 16n, dotted & 0xffffn] : groups
}

function writeIpv4(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 0xffn)).join(".")
}

/** RFC 5952, section 4: lower case, no leading zeros, `::` for the longest run of zeros, the first of equal ones. */
function writeIpv6(value: bigint): string {
  const groups = Array.from({ length: GROUPS }, (_, at) =>
    ((value >> BigInt(16 * (7 - at))) & 0xffffn).toString(16),
  )
  const text = groups.join(":")
  const [longest] = [...text.matchAll(/\b0(?::0\b)+/g)].toSorted((a, b) => b[0].length - a[0].length)
  if (longest === undefined) return text
  const before = text.slice(0, longest.index).replace(/:$/, "")
  const after = text.slice(longest.index + longest[0].length).replace(/^:/, "")
  return `${before}::${after}`
}
