import { BlockList, isIP } from "node:net"
import t from "tap"
import {
  isInBlock,
  readIpAddress,
  readIpBlock,
  writeIpBlock,
} from "../../../../signer/core/organization/ip-block.ts"

function canonical(text: string): string | undefined {
  const block = readIpBlock(text)
  return block && writeIpBlock(block)
}

t.test("a block has one spelling", async (t) => {
  const spellings: { [text: string]: string } = {
    "192.0.2.0/24": "192.0.2.0/24",
    "192.0.2.7/24": "192.0.2.0/24",
    "255.255.255.255/32": "255.255.255.255/32",
    "10.0.0.0/0": "0.0.0.0/0",
    "2001:DB8:0:0:0:0:0:0/48": "2001:db8::/48",
    "2001:db8:0:1:1:1:1:1/128": "2001:db8:0:1:1:1:1:1/128",
    "2001:0:0:1:0:0:0:1/128": "2001:0:0:1::1/128",
    "2001:db8:0:0:1:0:0:1/128": "2001:db8::1:0:0:1/128",
    "::/0": "::/0",
    "::1/128": "::1/128",
    "1::/16": "1::/16",
    "64:ff9b::192.0.2.33/128": "64:ff9b::c000:221/128",
    "2001:db8:1:2:3:4:5:6/64": "2001:db8:1:2::/64",
    "10:0:0:20:0:0:0:10/128": "10:0:0:20::10/128",
  }
  for (const [text, spelling] of Object.entries(spellings)) t.equal(canonical(text), spelling, text)
})

t.test("a text that is no block is not read as one", async (t) => {
  const none = [
    "",
    "/24",
    "192.0.2.0",
    "192.0.2.0/",
    "192.0.2.0/33",
    "192.0.2.0/024",
    "192.0.2.0/-1",
    "192.0.2.0/24 ",
    "192.0.2/24",
    "192.0.2.0.0/24",
    "192.0.2.256/24",
    "192.0.02.1/24",
    "0xC0.0.2.1/24",
    "2001:db8::/129",
    "2001:db8:::/48",
    "2001::db8::/48",
    "2001:db8:1:2:3:4:5:6:7/48",
    "2001:db8:1:2:3:4:5/48",
    "1:2:3:4:5:6:7::8:9/48",
    "2001:db8::12345/128",
    "2001:db8::g/128",
    "192.0.2.1::/48",
    "::192.0.2.1:1/128",
    "fe80::1%eth0/64",
    "::ffff:192.0.2.0/120",
  ]
  for (const text of none) t.equal(canonical(text), undefined, text)
})

t.test("an IPv4 address inside IPv6 is that address", async (t) => {
  t.same(readIpAddress("::ffff:192.0.2.1"), readIpAddress("192.0.2.1"))
  t.same(readIpAddress("::FFFF:c000:201"), readIpAddress("192.0.2.1"))
  t.not(readIpAddress("::192.0.2.1")?.bits, 32)
})

t.test("agrees with Node's own list on what is in a block", async (t) => {
  const random = seeded(7)
  let inside = 0
  for (let round = 0; round < 5000; round++) {
    const bits = random(2) === 0 ? 32 : 128
    const near = randomAddress(bits, random)
    const prefix = random(bits + 1)
    const network = textOf(near, bits)
    const address = random(2) === 0 ? near ^ (1n << BigInt(random(bits))) : randomAddress(bits, random)
    const text = textOf(address, bits)
    const node = new BlockList()
    const family = bits === 32 ? "ipv4" : "ipv6"
    node.addSubnet(network, prefix, family)
    const block = readIpBlock(`${network}/${prefix}`)
    const read = readIpAddress(text)
    if (block === undefined || read === undefined) return t.fail(`${text} in ${network}/${prefix}`)
    const is = isInBlock(read, block)
    if (is !== node.check(text, family)) return t.fail(`${text} in ${network}/${prefix}`)
    if (isIP(writeIpBlock(block).split("/")[0] ?? "") === 0) return t.fail(writeIpBlock(block))
    if (is) inside += 1
  }
  return t.ok(inside > 1000 && inside < 4000, `${inside} of 5000 inside`)
})

type Random = (below: number) => number

/** Mulberry32. */
function seeded(seed: number): Random {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

/** Never an IPv4 address inside IPv6: the first bit is set. */
function randomAddress(bits: number, random: Random): bigint {
  let value = 1n
  for (let bit = 1; bit < bits; bit++) value = (value << 1n) | BigInt(random(2))
  return value
}

function textOf(value: bigint, bits: number): string {
  const size = bits === 32 ? 8n : 16n
  const parts = BigInt(bits) / size
  const at = (index: bigint) => (value >> (size * (parts - 1n - index))) & ((1n << size) - 1n)
  const all = Array.from({ length: Number(parts) }, (_, index) => at(BigInt(index)))
  return bits === 32 ? all.join(".") : all.map((group) => group.toString(16)).join(":")
}
