// The ledger's MACs, computed here from their definition: HMAC-SHA-512 over fields, each after its length in four bytes.
import { createHmac } from "node:crypto"
import { readFileSync } from "node:fs"
import t from "tap"
import { add, LedgerMac, isSame, subtract, termBytes } from "../../../../signer/enclave/ledger/mac.ts"
import { uint64 } from "../../../../signer/enclave/ledger/uint64.ts"
import { bytes, KEY } from "./harness.ts"

const IDENTITY = new Uint8Array(32).fill(9)
const authenticator = new LedgerMac(KEY, IDENTITY)

function number(value: bigint, size: number): Buffer {
  return Buffer.from(value.toString(16).padStart(2 * size, "0"), "hex")
}

const TERM = { lane: 1, fence: 258, epoch: 3 } as const
const TERM_BYTES = Buffer.concat([number(1n, 4), number(258n, 8), number(3n, 8)])

/** The MAC and the element of an item whose second field is the ledger's identity. */
function expected(tag: string, ...rest: (string | Uint8Array)[]) {
  const fields = [tag, IDENTITY, ...rest].map((field) => Buffer.from(field))
  const message = fields.flatMap((field) => [number(BigInt(field.length), 4), field])
  const digest = createHmac("sha512", KEY).update(Buffer.concat(message)).digest()
  return {
    mac: digest.subarray(0, 32).toString("hex"),
    element: BigInt(`0x${digest.subarray(32).toString("hex")}`),
  }
}

const hex = (mac: Uint8Array) => Buffer.from(mac).toString("hex")
const hexOf = (element: bigint) => number(element, 32).toString("hex")

t.test("a row's MAC covers its term, shard, kind, key, expiry and value", async (t) => {
  const row = { kind: "record", key: "clé €", value: bytes("value") } as const
  const none = new Uint8Array()
  const proofOf = (expiresMs?: number, value = row.value) => {
    const { mac, element } = authenticator.row(TERM, "org ü", {
      ...row,
      value,
      ...(expiresMs !== undefined && { expiresMs }),
    })
    return { mac: hex(mac), element }
  }
  t.same(proofOf(), expected("ledger/row", TERM_BYTES, "org ü", "record", "clé €", none, row.value))
  t.same(proofOf(0), expected("ledger/row", TERM_BYTES, "org ü", "record", "clé €", number(0n, 8), row.value))
  t.same(
    proofOf(1_700_000_000_000),
    expected("ledger/row", TERM_BYTES, "org ü", "record", "clé €", number(1_700_000_000_000n, 8), row.value),
  )
  t.same(proofOf(undefined, none), expected("ledger/row", TERM_BYTES, "org ü", "record", "clé €", none, none))
})

t.test("a shard's MAC covers its term, head and rows, and its element covers that MAC", async (t) => {
  const head = { version: 3n, digest: new Uint8Array(32).fill(5) }
  const mac = authenticator.shardMac(TERM, "org", { head, rowCount: 258, sum: 77n })
  const fields = ["org", number(3n, 8), head.digest, number(258n, 8), number(77n, 32)]
  t.equal(hex(mac), expected("ledger/organization", TERM_BYTES, ...fields).mac)
  const { element } = expected("ledger/member", TERM_BYTES, "org", mac)
  t.equal(authenticator.shardElement(TERM, "org", mac), element)
})

t.test("a lane's MAC covers its term, sequence, times and shards", async (t) => {
  const state = { ...TERM, sequence: 1n, floorMs: 2, quietUntilMs: 3, shards: 4, sum: 5n }
  const fields = [number(1n, 8), number(2n, 8), number(3n, 8), number(4n, 8), number(5n, 32)]
  t.equal(hex(authenticator.laneMac(state)), expected("ledger/lane", TERM_BYTES, ...fields).mac)
})

t.test("identity, witness and overflow shards have MACs of their own", async (t) => {
  t.equal(hex(authenticator.sealIdentity(7)), expected("ledger/identity", number(7n, 8)).mac)
  const witness = authenticator.witnessMac(TERM_BYTES, number(8n, 8))
  t.equal(hex(witness), expected("ledger/witness", TERM_BYTES, number(8n, 8)).mac)
  t.same(termBytes(TERM), TERM_BYTES)
  const shard = expected("ledger/shard", "record", "key").mac
  t.equal(authenticator.shard("record", "key", 3), shard.slice(0, 3))
})

t.test("the vectors of the format are met", async (t) => {
  const file = new URL("../../../vectors/own/ledger.json", import.meta.url)
  const vectors = JSON.parse(readFileSync(file, "utf8"))
  const { term, row, shard, lane } = vectors
  const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, "hex"))
  const macs = new LedgerMac(bytesOf(vectors.ledgerKey), bytesOf(vectors.identity))
  t.equal(hex(termBytes(term)), vectors.termBytes)
  const { mac, element } = macs.row(term, row.shard, { ...row, value: bytesOf(row.value) })
  t.strictSame([hex(mac), hexOf(element)], [row.mac, row.element])
  const head = { version: BigInt(shard.version), digest: bytesOf(shard.digest) }
  const shardMac = macs.shardMac(term, row.shard, { head, rowCount: shard.rowCount, sum: element })
  const sum = macs.shardElement(term, row.shard, shardMac)
  t.strictSame([hex(shardMac), hexOf(sum)], [shard.mac, shard.element])
  t.equal(hex(macs.laneMac({ ...term, ...lane, sequence: BigInt(lane.sequence), sum })), lane.mac)
  const sequence = uint64(BigInt(lane.sequence))
  const witness = [termBytes(term), sequence, macs.witnessMac(termBytes(term), sequence)]
  t.equal(hex(Buffer.concat(witness)), vectors.witness.bytes)
  t.equal(hex(macs.sealIdentity(3)), vectors.identitySeal)
})

t.test("a key or an identity of another length than 32 bytes is refused", async (t) => {
  for (const size of [0, 31, 33]) {
    const other = new Uint8Array(size)
    t.throws(() => new LedgerMac(other, IDENTITY), RangeError)
    t.throws(() => new LedgerMac(KEY, other), RangeError)
  }
  const identity = new Uint8Array(32)
  const copied = new LedgerMac(KEY, identity)
  identity.fill(1)
  t.same(copied.identity, Buffer.alloc(32))
})

t.test("sums are taken modulo 2^256", async (t) => {
  const largest = 2n ** 256n - 1n
  t.equal(add(largest, 3n), 2n)
  t.equal(subtract(2n, 3n), largest)
  t.equal(add(2n, 3n), 5n)
  t.equal(subtract(5n, 3n), 2n)
  t.same(uint64(258n), Buffer.from("0000000000000102", "hex"))
})

t.test("two texts of bytes are the same when their lengths and bytes are", async (t) => {
  t.ok(isSame(bytes("same"), bytes("same")))
  t.notOk(isSame(bytes("same"), bytes("sane")))
  t.notOk(isSame(bytes("same"), bytes("same longer")))
})
