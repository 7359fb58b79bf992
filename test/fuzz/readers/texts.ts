// Short texts: paths of keys, addresses and blocks of IP, UUIDs, hosts with ports, base64url. One spelling of each is read.
import { BlockList, isIP } from "node:net"
import { base64, base64urlnopad } from "@scure/base"
import { parsePath, type Path } from "../../../signer/core/address/path.ts"
import { readBase64, readBase64url, readHex } from "../../../signer/core/encodings.ts"
import {
  isInBlock,
  readIpAddress,
  readIpBlock,
  writeIpAddress,
  writeIpBlock,
} from "../../../signer/core/organization/ip-block.ts"
import { readUuid } from "../../../signer/core/uuid.ts"
import { readHostAndPort } from "../../../signer/core/settings/settings.ts"
import { Refusal } from "../../../signer/core/refusal.ts"
import { ownVectors } from "../../harness/vectors.ts"
import { type Reader, requireSame, requireTrue, valueOf } from "../engine/reader.ts"
import { isNoError } from "./refusals.ts"
import { oneOf, roundTrip } from "./round-trip.ts"

const path: Reader = roundTrip<Path>({
  read: (input) => parsePath(input.toString()),
  write: ({ indices }) =>
    `m/${indices.map((index) => (index >= 2 ** 31 ? `${index - 2 ** 31}'` : String(index))).join("/")}`,
  seeds: () => ownVectors<{ valid: string[] }>("paths").valid,
  isRefusal: (error) => error instanceof Refusal && error.code === "PATH_INVALID",
})

const ipAddress: Reader = {
  seeds: () => [
    "192.0.2.7",
    "::ffff:192.0.2.1",
    "2001:db8::1",
    "::",
    "1:2:3:4:5:6:7:8",
    "64:ff9b::192.0.2.33",
  ],
  read: (input) => readIpAddress(input.toString("latin1")),
  isRefusal: isNoError,
  judge(input, outcome) {
    const text = input.toString("latin1")
    const read = valueOf(outcome) as ReturnType<typeof readIpAddress>
    // Node takes zones behind a percent sign too.
    requireSame(read !== undefined, isIP(text) !== 0 && !text.includes("%"), "Node's reader of addresses")
    if (read === undefined) return
    const written = writeIpAddress(read)
    requireSame(readIpAddress(written), read, "the written address")
  },
}

const ipBlock: Reader = {
  seeds: () => ["192.0.2.0/24", "2001:db8::/32", "0.0.0.0/0", "::/0", "10.1.2.3/32"],
  read: (input) => readIpBlock(input.toString("latin1")),
  isRefusal: isNoError,
  judge(input, outcome) {
    const read = valueOf(outcome) as ReturnType<typeof readIpBlock>
    if (read === undefined) return
    requireSame(readIpBlock(writeIpBlock(read)), read, "the written block")
    const [address = "", prefix] = input.toString("latin1").split("/")
    const list = new BlockList()
    const family = read.bits === 32 ? "ipv4" : "ipv6"
    list.addSubnet(address, Number(prefix), family)
    for (const value of [read.first, read.first ^ 1n, (1n << BigInt(read.bits)) - 1n]) {
      const one = { bits: read.bits, value }
      requireSame(
        isInBlock(one, read),
        list.check(writeIpAddress(one), family),
        `Node's block and ${writeIpAddress(one)}`,
      )
    }
  },
}

const uuid: Reader = {
  seeds: () => ["0198c0de-0000-7000-8000-000000000001", "0198C0DE-0000-7000-8000-00000000000A"],
  read: (input) => readUuid(input.toString()),
  isRefusal: isNoError,
  judge(input, outcome) {
    const read = valueOf(outcome)
    if (read !== undefined) requireSame(read, input.toString().toLowerCase(), "the lower case")
  },
}

const hostAndPort: Reader = {
  seeds: () => ["signer.internal:7443", "[::1]:80", "127.0.0.1:65535", "localhost:0"],
  read: (input) => readHostAndPort(input.toString()),
  isRefusal: isNoError,
  judge(input, outcome) {
    const read = valueOf(outcome) as { host: string; port: number } | undefined
    if (read === undefined) return
    requireTrue(Number.isInteger(read.port) && read.port >= 0 && read.port <= 65_535, "the port is none")
    requireSame(Number(input.toString().split(":").at(-1)), read.port, "another port")
  },
}

/** Each encoding's one spelling, as @scure/base has it. */
const encodings: Reader = {
  seeds: () => ["AQID", "AQI", "AQ==", "_-8", "", "00ff", "+/8="],
  read(input) {
    const text = input.toString()
    const read = { base64url: readBase64url(text), base64: readBase64(text), hex: readHex(text) }
    return read.base64url ?? read.base64 ?? (read.hex.length > 0 ? read.hex : undefined)
  },
  isRefusal: isNoError,
  judge(input) {
    const text = input.toString()
    const plain = text.replace(/=+$/, "")
    const isPadded = plain.length + ((4 - (plain.length % 4)) % 4) === text.length
    const urlTheirs = isPadded || plain === text ? orUndefined(() => base64urlnopad.decode(plain)) : undefined
    requireSame(
      readBase64url(text) && [...readBase64url(text)!],
      urlTheirs && [...urlTheirs],
      "base64url of @scure/base",
    )
    const theirs = orUndefined(() => base64.decode(text))
    requireSame(readBase64(text) && [...readBase64(text)!], theirs && [...theirs], "base64 of @scure/base")
  },
}

function orUndefined<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

export const texts = oneOf([path, ipAddress, ipBlock, uuid, hostAndPort, encodings])
