import { isInBlock, readIpAddress, readIpBlock } from "./ip-block.ts"

/** IPv4 blocks that are not public: IANA's special-purpose registry (RFC 6890), multicast, reserved. */
const SPECIAL_V4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/3",
]

/** Blocks of global unicast IPv6 that are not public: protocol assignments with Teredo, documentation, 6to4. */
const SPECIAL_V6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"]

const special = [...SPECIAL_V4, ...SPECIAL_V6].map(requireBlock)

/** Global unicast IPv6 (RFC 4291 section 2.4); loopback, link-local, private and mapped addresses lie outside. */
const globalV6 = requireBlock("2000::/3")

/** True if an address, as a resolver or a URL writes it, belongs to the public internet. */
export function isPublicAddress(text: string): boolean {
  const address = readIpAddress(text)
  if (address === undefined || special.some((block) => isInBlock(address, block))) return false
  return !text.includes(":") || isInBlock(address, globalV6)
}

/** Names that no public zone serves: RFC 6761, RFC 6762, RFC 8375, and `internal`, which ICANN reserved for private use. */
const PRIVATE_NAMES = ["localhost", "local", "internal", "home.arpa"]

/**
 * True if the host of a parsed URL can be public by its spelling. That is a public address, or a name with a dot that
 * is not reserved for private use. The addresses of a name are known only when it is resolved.
 */
export function isPublicHost(hostname: string): boolean {
  const host = hostname.replace(/\.$/, "").toLowerCase()
  if (host.startsWith("[")) return isPublicAddress(host.slice(1, -1))
  // A URL parser spells every form of IPv4 address as four numbers.
  if (/^[0-9.]+$/.test(host)) return isPublicAddress(host)
  return host.includes(".") && !PRIVATE_NAMES.some((name) => `.${host}`.endsWith(`.${name}`))
}

function requireBlock(text: string) {
  const block = readIpBlock(text)
  if (block === undefined) throw new Error(`${text} is no block`)
  return block
}
