// Unsigned Tron transactions: what is accepted means the same to tronweb, and everything else is refused.
import { isFault } from "../../../../signer/core/fault.ts"
import fc from "fast-check"
import t from "tap"
import {
  readTronTransaction,
  requireTronOwner,
  tronSigningHash,
  type TronTransaction,
  withTronSignature,
} from "../../../../signer/core/transaction/tron/transaction.ts"
import {
  asRawJson,
  readByTronweb,
  textOf,
  transactions,
  txIdOfTronweb,
  writtenByTronweb,
} from "./tron-judge.ts"
import { createHash } from "node:crypto"
import { runsOf } from "../../../harness/long.ts"
import { ownVectors } from "../../../harness/vectors.ts"

/** A transfer of 100 sun. */
const TRANSFER =
  "0a02c3e82208e3b7e1a1c2d3f4e540e0bc9ad68d375a65080112610a2d747970652e676f6f676c65617069732e636f6d2f70726f746f636f6c2e" +
  "5472616e73666572436f6e747261637412300a1541c8599111f29c1e1e061265b4af93ea1f274ad78a121541f1cd33c4802dec54475c555f95e9" +
  "403a62fd355318647080e896d68d37"
const OWNER = "TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH"

t.test("fields and signing hash are those of tronweb", async () => {
  fc.assert(
    fc.property(transactions, (given) => {
      const raw = writtenByTronweb(given)
      const [ours, theirs] = [textOf(asRawJson(readTronTransaction(raw))), textOf(given)]
      if (ours !== theirs) throw new Error(`${ours} is not ${theirs}`)
      if (Buffer.from(tronSigningHash(raw)).toString("hex") !== txIdOfTronweb(given))
        throw new Error("another hash")
    }),
    { numRuns: runsOf(500) },
  )
})

t.test("a withdrawal of expired stakes that tronweb built is read and signed, as reported", async (t) => {
  const { tron } = ownVectors<{ tron: { type: string; rawDataHex: string } }>("reported")
  const raw = Buffer.from(tron.rawDataHex, "hex")
  const read = readTronTransaction(raw)
  t.equal(read.contract.type, tron.type)
  t.equal(textOf(asRawJson(read)), textOf(readByTronweb(raw, tron.type)))
  t.strictSame(Buffer.from(tronSigningHash(raw)), createHash("sha256").update(raw).digest())
})

t.test("a changed byte is refused, or changes what is seen as tronweb sees it", async (t) => {
  let accepted = 0
  fc.assert(
    fc.property(transactions, fc.nat(), fc.integer({ min: 1, max: 255 }), (given, place, mask) => {
      const raw = writtenByTronweb(given)
      const changed = Buffer.from(raw)
      const at = place % changed.length
      changed[at] = (changed[at] ?? 0) ^ mask
      const read = readOrRefused(changed)
      if (read === undefined) return
      accepted += 1
      if (seen(read) === seen(readTronTransaction(raw))) throw new Error(`looks alike: byte ${at} ^ ${mask}`)
      const theirs = readByTronweb(changed, read.contract.type)
      if (textOf(asRawJson(read)) !== textOf(theirs))
        throw new Error(`read differently: ${changed.toString("hex")}`)
    }),
    { numRuns: runsOf(3000) },
  )
  t.ok(accepted > runsOf(500), `${accepted} changes are other transactions`)
})

t.test("bytes removed, doubled or swapped never leave the same transaction", async () => {
  fc.assert(
    fc.property(transactions, fc.nat(), fc.nat(40), fc.boolean(), (given, place, length, isDoubled) => {
      const raw = writtenByTronweb(given)
      const at = place % raw.length
      const piece = isDoubled ? raw.subarray(at, at + length) : Buffer.alloc(0)
      const changed = Buffer.concat([
        raw.subarray(0, isDoubled ? at + length : at),
        piece,
        raw.subarray(at + length),
      ])
      if (changed.equals(raw)) return
      const read = readOrRefused(changed)
      if (read !== undefined && seen(read) === seen(readTronTransaction(raw))) throw new Error("looks alike")
    }),
    { numRuns: runsOf(2000) },
  )
})

/** Undefined: refused. */
function readOrRefused(bytes: Uint8Array): TronTransaction | undefined {
  try {
    return readTronTransaction(bytes)
  } catch (fault) {
    if (isFault(fault, "transaction")) return undefined
    throw fault
  }
}

/** All that policies see. */
function seen(transaction: TronTransaction): string {
  return JSON.stringify(transaction, (_name, value: unknown) =>
    typeof value === "bigint" ? value.toString() : value,
  )
}

t.test("a transaction in any other spelling is refused with the byte at fault", async (t) => {
  const valid = Buffer.from(TRANSFER, "hex")
  t.equal(readTronTransaction(valid).contract.fields.owner_address, OWNER)
  /** The transfer with other digits in place of some, which occur once. */
  const changed = (from: string, to: string) => {
    t.equal(TRANSFER.split(from).length, 2, from)
    return Buffer.from(TRANSFER.replace(from, to), "hex")
  }
  for (const [bytes, message, offset] of [
    [Buffer.concat([valid, Buffer.of(0)]), /field 0 of raw_data is not one that is signed/, 131],
    [Buffer.concat([valid, Buffer.from("900100", "hex")]), /fee_limit has its default value/, 131],
    [Buffer.concat([valid, Buffer.from("9001818000", "hex")]), /not in its shortest form/, 133],
    [Buffer.concat([valid, Buffer.from("4001", "hex")]), /expiration is not in the order/, 131],
    [Buffer.concat([valid, Buffer.from("7001", "hex")]), /timestamp occurs twice/, 131],
    [valid.subarray(0, -1), /ends too early/, 125],
    [changed("0a02c3e8", "0a01c3e8"), /ref_block_bytes|is not one that is signed|not of its type/, undefined],
    [changed("0a02c3e8", "1a02c3e8"), /field 3 of raw_data/, 0],
    [changed("0a02c3e8", "0a81808080808080808080"), /not in its shortest form|longer/, undefined],
    [changed("5a650801", "5a650803"), /contracts of type 3 are not signed, only TransferContract/, undefined],
    [changed("5a650801", "5a65081f"), /the parameter of a TriggerSmartContract is named/, undefined],
    [changed("41f1cd33", "42f1cd33"), /to_address must have 21 bytes and begin with 41/, undefined],
    [changed("1864", "1801"), undefined, undefined],
    [changed("1864708", "2064708"), /field 4 of TransferContract/, undefined],
    [valid.subarray(0, 21), /has 0 contracts and must have one/, undefined],
    [Buffer.alloc(512_001), /more than 512000 bytes/, 512_000],
  ] as const) {
    if (message === undefined) t.ok(readTronTransaction(bytes), "an unaltered twin")
    else
      t.throws(
        () => readTronTransaction(bytes),
        offset === undefined ? { message } : { message, place: offset },
      )
  }
})

t.test("a negative amount, two contracts and a resource without name are refused", async (t) => {
  const negative = "18ffffffffffffffffff01"
  const transfer = Buffer.from(TRANSFER, "hex")
  const [head, tail] = [transfer.subarray(0, 21), transfer.subarray(-7)]
  const contract = transfer.subarray(23, -7)
  const length = (bytes: Uint8Array) => {
    if (bytes.length > 127) return Buffer.of((bytes.length & 0x7f) | 0x80, bytes.length >> 7)
    return Buffer.of(bytes.length)
  }
  const field = (tag: number, bytes: Uint8Array) => Buffer.concat([Buffer.of(tag), length(bytes), bytes])
  const whole = (...contracts: Uint8Array[]) =>
    Buffer.concat([head, ...contracts.map((one) => field(0x5a, one)), tail])
  t.ok(readTronTransaction(whole(contract)))
  t.throws(() => readTronTransaction(whole(contract, contract)), {
    message: /raw_data.contract occurs too often; nodes take 1/,
  })
  const url = contract.subarray(4, 51)
  const value = Buffer.concat([contract.subarray(53, -2), Buffer.from(negative, "hex")])
  const parameter = field(0x12, Buffer.concat([url, field(0x12, value)]))
  t.throws(() => readTronTransaction(whole(Buffer.concat([Buffer.from("0801", "hex"), parameter]))), {
    message: /amount is negative or above 9223372036854775807/,
  })
  const freeze = writtenByTronweb({
    contract: [
      {
        type: "FreezeBalanceV2Contract",
        parameter: {
          type_url: "type.googleapis.com/protocol.FreezeBalanceV2Contract",
          value: { owner_address: `41${"11".repeat(20)}`, frozen_balance: 5, resource: "TRON_POWER" },
        },
      },
    ],
    ref_block_bytes: "0000",
    ref_block_hash: "00".repeat(8),
    expiration: 1,
    timestamp: 1,
    fee_limit: 0,
    data: "",
  })
  t.throws(() => readTronTransaction(freeze), { message: /resource is 2; it must be below 2/ })
})

t.test(
  "B3: keys and permissions beyond those that nodes take are refused before they are read",
  async (t) => {
    const address = `41${"11".repeat(20)}`
    const permission = (type: string, keys: number, id = 0) => ({
      type,
      id,
      permission_name: "name",
      threshold: 1,
      operations: type === "Active" ? "7f".repeat(32) : "",
      keys: Array.from({ length: keys }, () => ({ address, weight: 1 })),
    })
    const type = "AccountPermissionUpdateContract"
    const update = (keys: number, actives: number) => {
      const value = {
        owner_address: address,
        owner: permission("Owner", keys),
        witness: null,
        actives: Array.from({ length: actives }, (_, index) => permission("Active", keys, 2 + index)),
      }
      const parameter = { type_url: `type.googleapis.com/protocol.${type}`, value }
      return writtenByTronweb({
        contract: [{ type, parameter }],
        ref_block_bytes: "0001",
        ref_block_hash: "01".repeat(8),
        expiration: 1,
        timestamp: 1,
        fee_limit: 0,
        data: "",
      })
    }
    t.equal(readTronTransaction(update(5, 8)).contract.type, type)
    const keys = { message: /owner.keys occurs too often; nodes take 5/ }
    for (const count of [6, 1000]) t.throws(() => readTronTransaction(update(count, 1)), keys)
    t.throws(() => readTronTransaction(update(1, 9)), { message: /actives occurs too often; nodes take 8/ })
  },
)

t.test("a signature makes the message that nodes take, by the owner's key only", async (t) => {
  const raw = Buffer.from(TRANSFER, "hex")
  const signature = Buffer.from(
    "40d55a8dfd0d0d3de627d4a6ed8587f1156f47072b57304158cf361f65e2a4345a847af909cc33c15f592f1d81f48b679a9abf7c11cfc55b5f9bccc81ad32e9d00",
    "hex",
  )
  const signed = Buffer.from(withTronSignature(raw, signature)).toString("hex")
  t.equal(signed, `0a8301${TRANSFER}1241${signature.toString("hex")}`)
  t.doesNotThrow(() => requireTronOwner(raw, OWNER))
  t.throws(() => requireTronOwner(raw, "TY1jfzP3s94oSzYECC89EFn17iA8S4imVZ"), {
    code: "TRANSACTION_SIGNER_MISSING",
    message: /^TY1jfzP3s94oSzYECC89EFn17iA8S4imVZ is none of .* \(owner_address is TUEZSdKso/,
  })
})
