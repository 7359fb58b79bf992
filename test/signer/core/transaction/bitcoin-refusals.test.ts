// PSBTs that are not signed, each beside the one that it resembles.
import { Transaction } from "bitcoinjs-lib"
import t, { type Test } from "tap"
import { sized } from "../../../../signer/core/transaction/bitcoin/cursor.ts"
import { readPsbt } from "../../../../signer/core/transaction/bitcoin/psbt.ts"
import { readBitcoinSigning } from "../../../../signer/core/transaction/bitcoin/sign.ts"
import type { SpendingKey } from "../../../../signer/core/transaction/bitcoin/spending.ts"
import { type Given, keys, OWN, psbtOf, publicKeyOf, UNLOCKED } from "./bitcoin-judge.ts"

type Kind = Given["inputs"][number]["kind"]
const input = {
  kind: "wpkh",
  isOwn: true,
  value: 100_000,
  sequence: 5,
  isProven: true,
  asksForAll: false,
} as const
const given: Given = {
  scheme: "ecdsa",
  inputs: [input],
  outputs: [{ kind: "wpkh", value: 90_000 }],
  version: 2,
  locktime: 0,
}
const ofKind = (kind: Kind) => ({ ...given, inputs: [{ ...input, kind }] })
const taproot: Given = { ...ofKind("tr"), scheme: "taproot" }
const bytesOf = (one: Given) => Buffer.from(psbtOf(one).toBuffer())
const sign = (bytes: Uint8Array, key: SpendingKey = keys.ecdsa) =>
  readBitcoinSigning(bytes, key).inputs.length
const hex = (text: string) => Buffer.from(text, "hex")
const X = OWN.subarray(1)

/** The PSBT with one more record in the map of its first input, or in another place. */
function withRecord(bytes: Uint8Array, key: Uint8Array, value: Uint8Array, at = firstEnd(bytes)): Buffer {
  return Buffer.concat([bytes.subarray(0, at), sized(key), sized(value), bytes.subarray(at)])
}

function firstEnd(bytes: Uint8Array): number {
  return readPsbt(bytes).inputs[0]?.map.end ?? 0
}

/** The PSBT with other bytes in place of some that occur once. */
function changed(bytes: Buffer, from: string, to: string): Buffer {
  const text = bytes.toString("hex")
  if (text.split(from).length !== 2) throw new Error(`${from} does not occur once`)
  return hex(text.replace(from, to))
}

function refuses(t: Test, bytes: Uint8Array, message: RegExp, key: SpendingKey = keys.ecdsa) {
  t.throws(() => sign(bytes, key), { name: "Fault", kind: "transaction", message }, String(message))
}

t.test("another format, more bytes and fewer bytes are refused", async (t) => {
  const valid = bytesOf(given)
  t.equal(sign(valid), 1)
  refuses(t, Buffer.concat([valid, Buffer.of(0)]), /bytes follow the maps of the outputs/)
  refuses(t, valid.subarray(0, -1), /ends too early/)
  refuses(t, changed(valid, "70736274ff", "70736274fe"), /magic bytes of a PSBT/)
  refuses(t, valid.subarray(0, 4), /magic bytes of a PSBT/)
  refuses(t, changed(valid, "70736274ff010052", "70736274fffd010052"), /not in its shortest form|left/)
  refuses(t, changed(valid, "70736274ff01005202", "70736274ff0100fd520002"), /not in its shortest form/)
  refuses(t, hex("70736274ff00"), /unsigned transaction is missing/)
  const network = psbtOf(given).data.globalMap.unsignedTx.toBuffer()
  refuses(t, network, /magic bytes of a PSBT/)
})

t.test("keys that occur twice, keys of version 2 and malformed keys are refused", async (t) => {
  const valid = bytesOf(given)
  const globalEnd = 7 + 1 + 0x52
  t.equal(sign(withRecord(valid, hex("fb"), Buffer.alloc(4), globalEnd)), 1, "version 0, said aloud")
  t.equal(sign(withRecord(valid, hex("fc0501"), hex("00"))), 1, "of a vendor")
  refuses(
    t,
    withRecord(valid, hex("fb"), hex("02000000"), globalEnd),
    /the global map has a record of version 0, type 0/,
  )
  refuses(t, withRecord(valid, hex("02"), hex("02000000"), globalEnd), /a record of version 2, type 2/)
  refuses(t, withRecord(valid, hex("0e"), Buffer.alloc(32)), /input 0 has a record of version 2, type 14/)
  refuses(
    t,
    withRecord(valid, hex("03"), Buffer.alloc(8), valid.length - 1),
    /output 0 has a record of version 2/,
  )
  refuses(
    t,
    withRecord(withRecord(valid, hex("0a11"), hex("00")), hex("0a11"), hex("01")),
    /a key twice, of type 10/,
  )
  refuses(t, withRecord(valid, hex("0301"), hex("01000000")), /a key of type 3 and 1 byte/)
  refuses(t, withRecord(valid, hex("03"), hex("01")), /a value of type 3 and 1 byte/)
  refuses(t, withRecord(valid, hex("fd0300"), hex("01000000")), /a type above 252/)
})

t.test("hash types that leave inputs or outputs to others are refused", async (t) => {
  const valid = bytesOf(given)
  t.equal(sign(withRecord(valid, hex("03"), hex("01000000"))), 1, "ALL")
  for (const type of ["00", "02", "03", "81", "82", "83"])
    refuses(
      t,
      withRecord(valid, hex("03"), hex(`${type}000000`)),
      /sighash_type of input 0 must be ALL, 1, or left out/,
    )
  refuses(t, withRecord(valid, hex("03"), hex("01000001")), /must be ALL/)
  t.equal(sign(withRecord(bytesOf(taproot), hex("03"), Buffer.alloc(4)), keys.taproot), 1, "DEFAULT")
  t.equal(sign(withRecord(bytesOf(taproot), hex("03"), hex("01000000")), keys.taproot), 1, "ALL")
  for (const type of ["02", "03", "80", "81", "83"])
    refuses(
      t,
      withRecord(bytesOf(taproot), hex("03"), hex(`${type}000000`)),
      /must be DEFAULT, 0, or ALL, 1, or left out/,
      keys.taproot,
    )
})

t.test("an input that is signed already is refused, another's signature stays", async (t) => {
  const valid = bytesOf(given)
  const signature = Buffer.alloc(71, 1)
  t.equal(sign(withRecord(valid, Buffer.concat([hex("02"), publicKeyOf(9)]), signature)), 1, "by another key")
  refuses(t, withRecord(valid, Buffer.concat([hex("02"), OWN]), signature), /input 0 is signed already/)
  refuses(t, withRecord(valid, hex("07"), hex("00")), /input 0 is signed already/)
  refuses(t, withRecord(valid, hex("08"), hex("00")), /input 0 is signed already/)
  refuses(t, withRecord(bytesOf(taproot), hex("13"), Buffer.alloc(64)), /is signed already/, keys.taproot)
  refuses(
    t,
    changed(valid, "01000000000500000001905f", "01000000010500000001905f"),
    /has a script: the transaction is signed|left/,
  )
})

t.test("a Taproot input with a script path or another internal key is refused", async (t) => {
  const valid = bytesOf(taproot)
  t.equal(sign(valid, keys.taproot), 1)
  const [leaf, merkle] = [Buffer.concat([hex("15"), Buffer.alloc(33, 1)]), Buffer.alloc(32, 2)]
  refuses(t, withRecord(valid, leaf, hex("51c0")), /only the key path of Taproot is signed/, keys.taproot)
  refuses(t, withRecord(valid, hex("18"), merkle), /only the key path of Taproot is signed/, keys.taproot)
  const scriptSignature = Buffer.concat([hex("14"), Buffer.alloc(64, 1)])
  refuses(t, withRecord(valid, scriptSignature, Buffer.alloc(64)), /only the key path/, keys.taproot)
  const [own, other] = [X, publicKeyOf(9).subarray(1)].map((key) => Buffer.from(key).toString("hex"))
  refuses(t, changed(valid, `011720${own}`, `011720${other}`), /names another internal key/, keys.taproot)
})

t.test(
  "C-1815: an output with a script tree is signed by its key path, if the PSBT names the root",
  async (t) => {
    const tree: Given = { ...taproot, inputs: [{ ...input, kind: "tr(tree)" }] }
    const valid = bytesOf(tree)
    t.equal(sign(valid, keys.taproot), 1)
    const leaf = Buffer.concat([hex("15"), Buffer.alloc(33, 1)])
    t.equal(sign(withRecord(valid, leaf, hex("51c0")), keys.taproot), 1, "leaves may be told beside it")
    const scriptSignature = Buffer.concat([hex("14"), Buffer.alloc(64, 1)])
    refuses(t, withRecord(valid, scriptSignature, Buffer.alloc(64)), /only the key path/, keys.taproot)
    const { tapMerkleRoot: root = Buffer.alloc(0) } = psbtOf(tree).data.inputs[0] ?? {}
    const record = `011820${Buffer.from(root).toString("hex")}`
    const missing = { code: "TRANSACTION_SIGNER_MISSING", message: /a script tree of P2TR tap_merkle_root/ }
    t.throws(() => sign(changed(valid, record, ""), keys.taproot), missing)
    t.throws(() => sign(changed(valid, record, `011820${"02".repeat(32)}`), keys.taproot), missing)
    t.throws(() => sign(valid, keys.ecdsa), missing)
  },
)

t.test("only inputs of the key are signed, by the algorithm that the address selects", async (t) => {
  const two: Given = { ...given, inputs: [input, { ...input, isOwn: false }, { ...input, kind: "pkh" }] }
  t.equal(sign(bytesOf(two)), 2)
  const missing = {
    code: "TRANSACTION_SIGNER_MISSING",
    message: /^the key 02.* is none of the transaction's signers/,
  }
  const foreign = bytesOf({ ...given, inputs: [{ ...input, isOwn: false }] })
  t.throws(() => sign(foreign), { code: missing.code, message: /P2SH needs redeem_script/ })
  t.throws(() => sign(bytesOf(taproot)), { code: missing.code }, "a Taproot input, by ECDSA")
  t.throws(() => sign(bytesOf(given), keys.taproot), { code: missing.code }, "another input, by Schnorr")
})

t.test("a script that checks more than a signature is not signed", async (t) => {
  const valid = bytesOf(ofKind("wsh(multi)"))
  t.equal(sign(valid), 1)
  const multi = `5121${Buffer.from(publicKeyOf(9)).toString("hex")}21${Buffer.from(OWN).toString("hex")}52ae`
  t.ok(valid.toString("hex").includes(multi))
  // The script's hash is another then.
  for (const other of [
    multi.replace(/^51/, "53"),
    multi.replace(/52ae$/, "53ae"),
    multi.replace(/ae$/, "af"),
  ])
    refuses(t, changed(valid, multi, other), /witness_script of input 0 does not have the hash/)
})

t.test("a script behind time locks is signed where the transaction satisfies them", async (t) => {
  const { sequence, ...transaction } = UNLOCKED
  const unlocked: Given = { ...ofKind("wsh(lock)"), ...transaction }
  const locked = (change: Partial<Given>, its = sequence): Buffer =>
    bytesOf({ ...unlocked, ...change, inputs: unlocked.inputs.map((one) => ({ ...one, sequence: its })) })
  t.equal(sign(locked({})), 1)
  t.equal(sign(locked({ locktime: 800_001 }, 11)), 1, "later")
  t.equal(sign(locked({}, 10 + 2 ** 20)), 1, "bits that count nothing")
  refuses(
    t,
    locked({ locktime: 799_999 }),
    /input 0 is locked until block 800000; the transaction's lock time is 799999/,
  )
  refuses(t, locked({ locktime: 0 }), /is locked until block 800000/)
  refuses(t, locked({ locktime: 1_800_000_000 }), /is locked until block 800000/, keys.ecdsa)
  refuses(t, locked({}, 0xffff_ffff), /sequence ffffffff/)
  refuses(t, locked({}, 9), /is locked for 10 blocks/)
  refuses(
    t,
    locked({}, 2 ** 22 + 10),
    /is locked for 10 blocks; its sequence allows less, or counts another unit/,
  )
  refuses(t, locked({}, 2 ** 31 + 10), /by its sequence, which says that it is not/)
  refuses(t, locked({ version: 1 }), /counts from version 2 on; the transaction has 1/)
  const foreign = {
    ...unlocked,
    inputs: [{ ...input, kind: "wsh(lock)" as const, isOwn: false, sequence: 9 }],
  }
  t.throws(() => sign(bytesOf(foreign)), { code: "TRANSACTION_SIGNER_MISSING" }, "another's lock is no fault")
})

t.test("an output that the PSBT tells in two ways must be one output", async (t) => {
  const both = psbtOf({ ...given, inputs: [input, { ...input, value: 7000 }] })
  const value = Buffer.alloc(8)
  value.writeBigUInt64LE(100_000n)
  const valid = Buffer.from(both.toBuffer())
  t.equal(sign(valid), 2)
  const output = Buffer.concat([value, sized(both.data.inputs[0]?.witnessUtxo?.script ?? Buffer.alloc(0))])
  const proofOnly = Buffer.from(
    psbtOf({ ...given, inputs: [{ ...input, isProven: false }, input] }).toBuffer(),
  )
  t.equal(sign(withRecord(proofOnly, hex("01"), output)), 2, "the same")
  const more = Buffer.from(output)
  more.writeBigUInt64LE(100_001n)
  refuses(t, withRecord(proofOnly, hex("01"), more), /witness_utxo of input 0 is not the output/)
  const elsewhere = Buffer.from(output)
  elsewhere[elsewhere.length - 1] = 0
  refuses(t, withRecord(proofOnly, hex("01"), elsewhere), /witness_utxo of input 0 is not the output/)
  refuses(
    t,
    withRecord(proofOnly, hex("01"), Buffer.concat([output, hex("00")])),
    /bytes follow a witness_utxo/,
  )
})

t.test("a previous transaction of another id, or without the output, is refused", async (t) => {
  const valid = bytesOf(ofKind("pkh"))
  t.equal(sign(valid), 1)
  const previous = psbtOf(ofKind("pkh")).data.inputs[0]?.nonWitnessUtxo ?? new Uint8Array()
  const text = Buffer.from(previous).toString("hex")
  refuses(
    t,
    changed(valid, text, text.replace("a086010000000000", "a186010000000000")),
    /is another transaction/,
  )
  const id = Buffer.from(Transaction.fromBuffer(previous).getHash()).toString("hex")
  refuses(t, changed(valid, `${id}01000000`, `${id}02000000`), /the previous transaction has no output 2/)
  refuses(t, changed(valid, text, `${text.slice(0, -8)}01000000`), /is another transaction/)
})

t.test("amounts that a signature does not cover must be proven", async (t) => {
  const claimed = { ...input, isProven: false }
  t.equal(sign(bytesOf({ ...given, inputs: [claimed] })), 1, "one input: its signature is over the amount")
  const two = { ...given, inputs: [input, { ...input, value: 200_000 }] }
  t.equal(sign(bytesOf(two)), 2)
  const unproven = bytesOf(two)
  const previous = psbtOf(two).data.inputs[1]?.nonWitnessUtxo ?? new Uint8Array()
  const record = Buffer.concat([sized(hex("00")), sized(previous)]).toString("hex")
  refuses(
    t,
    changed(unproven, record, ""),
    /input 1 comes without a proof of its amount: add its previous transaction/,
  )
  const legacy = bytesOf(ofKind("pkh"))
  const proof = psbtOf(ofKind("pkh")).data.inputs[0]?.nonWitnessUtxo ?? new Uint8Array()
  const output = Buffer.concat([
    hex("a086010000000000"),
    sized(Transaction.fromBuffer(proof).outs[1]!.script),
  ])
  const told = withRecord(legacy, hex("01"), output)
  t.equal(sign(told), 1)
  const withoutProof = changed(told, Buffer.concat([sized(hex("00")), sized(proof)]).toString("hex"), "")
  refuses(t, withoutProof, /input 0 comes without a proof/)
  refuses(
    t,
    changed(legacy, Buffer.concat([sized(hex("00")), sized(proof)]).toString("hex"), ""),
    /without an amount/,
  )
  const all: Given = {
    ...taproot,
    inputs: [
      { ...claimed, kind: "tr" },
      { ...claimed, isOwn: false },
    ],
  }
  t.equal(sign(bytesOf(all), keys.taproot), 1, "a Taproot signature is over all amounts")
})

t.test("amounts that cannot be are refused", async (t) => {
  refuses(
    t,
    bytesOf({ ...given, outputs: [{ kind: "wpkh", value: 100_001 }] }),
    /the outputs are more than the inputs/,
  )
  t.equal(sign(bytesOf({ ...given, outputs: [{ kind: "wpkh", value: 100_000 }] })), 1, "no fee")
  const valid = bytesOf(given)
  refuses(
    t,
    changed(valid, "905f010000000000", "0140075af0750701"),
    /an output has more than 2100000000000000 satoshi/,
  )
  const twice = { ...given, inputs: [input, input] }
  t.equal(sign(bytesOf(twice)), 2)
  const ids = readPsbt(bytesOf(twice)).inputs.map(({ outpoint }) => Buffer.from(outpoint).toString("hex"))
  const unsigned = bytesOf(twice).toString("hex")
  const same = hex(unsigned.replace(ids[1] ?? "", ids[0] ?? ""))
  refuses(t, same, /two inputs spend the same output/)
})
