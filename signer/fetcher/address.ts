import { BlockList, isIPv4 } from "node:net"

/** IPv4 blocks that are not public: IANA's special-purpose registry (RFC 6890), multicast, reserved. */
const SPECIAL_V4 = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
] as const

/** Global unicast IPv6 (RFC 4291 section 2.4); loopback, link-local, private and mapped addresses lie outside. */
const GLOBAL_V6 = ["2000::", 3] as const

/** Blocks inside it that are not public: protocol assignments with Teredo, documentation twice, and 6to4. */
const SPECIAL_V6 = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const

const special = new BlockList()
for (const [net, prefix] of SPECIAL_V4) special.addSubnet(net, prefix, "ipv4")
for (const [net, prefix] of SPECIAL_V6) special.addSubnet(net, prefix, "ipv6")
const global = new BlockList()
global.addSubnet(...GLOBAL_V6, "ipv6")

/** Whether an address, as a resolver writes it, belongs to the public internet. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !special.check(address, "ipv4")
  return global.check(address, "ipv6") && !special.check(address, "ipv6")
}
