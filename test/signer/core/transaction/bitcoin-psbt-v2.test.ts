// PSBTs of version 2, as @scure/btc-signer writes and reads them.
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { Transaction } from "@scure/btc-signer"
import fc from "fast-check"
import t, { type Test } from "tap"
import { sized } from "../../../../signer/core/transaction/bitcoin/cursor.ts"
import { readBitcoinSigning } from "../../../../signer/core/transaction/bitcoin/sign.ts"
import { readBitcoinTransaction } from "../../../../signer/core/transaction/bitcoin/transaction.ts"
import { type Given, keys, OWN, psbtOf, signatureOf, textOf, transactions } from "./bitcoin-judge.ts"
import { runsOf } from "../../../harness/long.ts"

const LENIENT = { allowUnknownOutputs: true, allowUnknownInputs: true, disableScriptCheck: true }
const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")
const hex = (text: string) => Uint8Array.from(Buffer.from(text, "hex"))

/** The PSBT as the judge writes it in a version. */
function inVersion(bytes: Uint8Array, version: 0 | 2): Uint8Array {
  return Transaction.fromPSBT(Uint8Array.from(bytes), LENIENT).toPSBT(version)
}

t.test("fields, digests and signed PSBTs are those of version 0, and the judge reads them", async () => {
  fc.assert(
    fc.property(transactions, (given) => {
      const [older, newer] = [psbtOf(given).toBuffer(), inVersion(psbtOf(given).toBuffer(), 2)]
      const [first, second] = [older, newer].map((bytes) => {
        const signing = readBitcoinSigning(bytes, keys[given.scheme])
        const digests = signing.inputs.map(({ digest }) => hexOf(digest()))
        const signed = signing.withSignatures(digests.map((digest) => signatureOf(hex(digest))))
        const seen = textOf(readBitcoinTransaction(bytes, given.scheme))
        return JSON.stringify([seen, digests, hexOf(inVersion(signed, 0))])
      })
      if (first !== second) throw new Error(`${first} is not ${second}: ${hexOf(newer)}`)
    }),
    { numRuns: runsOf(200) },
  )
})

const given: Given = {
  scheme: "ecdsa",
  inputs: [{ kind: "wpkh", isOwn: true, value: 100_000, sequence: 5, isProven: true }],
  outputs: [{ kind: "wpkh", value: 90_000 }],
  version: 2,
  locktime: 0,
}

t.test("C-1709: the judge finalizes what is signed", async (t) => {
  const bytes = inVersion(psbtOf(given).toBuffer(), 2)
  const signing = readBitcoinSigning(bytes, keys.ecdsa)
  const key = new Uint8Array(32).fill(7)
  const signatures = signing.inputs.map(({ digest }) => secp256k1.sign(digest(), key, { prehash: false }))
  const signed = Transaction.fromPSBT(Uint8Array.from(signing.withSignatures(signatures)), LENIENT)
  signed.finalize()
  const [signature, publicKey] = signed.getInput(0).finalScriptWitness ?? []
  t.equal(hexOf(publicKey ?? new Uint8Array(0)), hexOf(OWN))
  t.equal(signature?.at(-1), 1, "over the whole transaction")
  t.equal(hexOf(signed.extract()).slice(0, 8), "02000000")
})

/** A PSBT of one or more inputs that require lock times, by the judge. */
function locked(locks: readonly { height?: number; time?: number }[], fallback?: number): Transaction {
  const transaction = new Transaction({ ...LENIENT, PSBTVersion: 2, ...(fallback && { lockTime: fallback }) })
  const script =
    psbtOf(given).data.inputs[0]?.witnessUtxo?.script ?? hex("00140000000000000000000000000000000000000000")
  for (const [index, { height, time }] of locks.entries())
    transaction.addInput({
      txid: new Uint8Array(32).fill(index + 1),
      index,
      witnessUtxo: { script, amount: 1000n },
      ...(height !== undefined && { requiredHeightLocktime: height }),
      ...(time !== undefined && { requiredTimeLocktime: time }),
    })
  transaction.addOutput({ script, amount: 900n })
  return transaction
}

t.test("the lock time is the greatest that an input requires, by height where all allow it", async (t) => {
  const TIME = 1_657_048_460
  for (const [locks, expected, fallback] of [
    [[{}], 0],
    [[{}, {}], 123, 123],
    [[{ height: 10_000 }], 10_000, 123],
    [[{ time: TIME }], TIME],
    [[{ height: 10_000 }, { height: 9_000 }], 10_000],
    [[{ height: 10_000, time: TIME }], 10_000],
    [[{ height: 10_000, time: TIME }, { height: 9_000 }], 10_000],
    [[{ height: 10_000, time: TIME }, { time: TIME - 1 }], TIME],
    [[{ time: TIME }, {}], TIME],
    [[{ height: 10_000, time: TIME }, { height: 10_001, time: TIME + 1 }, {}], 10_001],
  ] as const) {
    const judged = locked(locks, fallback)
    t.equal(judged.lockTime, expected, `judge: ${JSON.stringify(locks)}`)
    const { locktime } = readBitcoinTransaction(judged.toPSBT(2), "taproot")
    t.equal(locktime.amount, expected, JSON.stringify(locks))
  }
})

/** Refused with these words. `isReadable`: it is read, and this test says so. */
function refuses(t: Test, text: string, message: RegExp, isReadable = false): void {
  const read = () => readBitcoinTransaction(hex(text), "taproot")
  if (isReadable) t.ok(read())
  else t.throws(read, { name: "Fault", kind: "transaction", message }, String(message))
}

t.test("a PSBT that may still be changed may not, once it is signed", async (t) => {
  for (const [flags, expected] of [
    ["00", "00"],
    ["01", "00"],
    ["02", "00"],
    ["03", "00"],
    ["07", "04"],
    ["04", "04"],
  ] as const) {
    const text = hexOf(inVersion(psbtOf(given).toBuffer(), 2)).replace(/010601..(?=01fb04)/, `010601${flags}`)
    const signing = readBitcoinSigning(hex(text), keys.ecdsa)
    const signed = hexOf(signing.withSignatures(signing.inputs.map(({ digest }) => signatureOf(digest()))))
    t.ok(signed.includes(`010601${expected}01fb0402000000`), flags)
    t.ok(text.includes(`010601${flags}`), "what was handed in is as it was")
  }
})

t.test("C-834: what is no PSBT of version 2 alone is refused", async (t) => {
  const valid = hexOf(locked([{}], 123).toPSBT(2))
  refuses(t, valid, /^$/, true)
  /** The text with each occurrence of a record replaced. */
  const changed = (from: string, to: string) => {
    if (!valid.includes(from)) throw new Error(`${from} is not in ${valid}`)
    return valid.replace(from, to)
  }
  refuses(t, changed("01fb0402000000", "01fb0401000000"), /neither of version 0 nor of version 2/)
  refuses(t, changed("01fb0402000000", "01fb0402000001"), /neither of version 0 nor of version 2/)
  refuses(t, changed("01fb0402000000", "01fb0400000000"), /the global map has a record of version 2, type 2/)
  refuses(t, changed("01fb0402000000", ""), /the global map has a record of version 2, type 2/)
  refuses(t, changed("01020402000000", ""), /the transaction's version is missing/)
  refuses(t, changed("01040101", ""), /the count of inputs is missing/)
  refuses(t, changed("01050101", ""), /the count of outputs is missing/)
  refuses(t, changed("01040101", "01040102"), /input 1 has a value of type 3/)
  refuses(t, changed("01040101", "01040100"), /missing|has no inputs/)
  refuses(t, changed("01040101", "0104020101"), /bytes follow the count of inputs/)
  refuses(t, changed("01040101", "010409ffffffffffffffffff"), /input 1 has a value of type 3/)
  refuses(t, changed("01040101", "010403fd0100"), /not in its shortest form/)
  refuses(t, changed(`010e20${"01".repeat(32)}`, ""), /the previous transaction of input 0 is missing/)
  refuses(t, changed("010f0400000000", ""), /the output that input 0 spends is missing/)
  refuses(t, changed("010308", "01f308"), /the amount of output 0 is missing/)
  refuses(t, changed("010416", "01f416"), /the script of output 0 is missing/)
  refuses(
    t,
    changed("70736274ff", `70736274ff0100${hexOf(sized(hex("02000000")))}`),
    /a record of version 0, type 0/,
  )
  const lock = (type: string, value: string) => changed("010f0400000000", `010f040000000001${type}04${value}`)
  refuses(t, lock("12", "00000000"), /input 0 requires a lock time of the other kind, type 18/)
  refuses(t, lock("12", "0065cd1d"), /input 0 requires a lock time of the other kind, type 18/)
  refuses(t, lock("11", "ff64cd1d"), /input 0 requires a lock time of the other kind, type 17/)
  refuses(t, lock("11", "0065cd1d"), /^$/, true)
  const both = hexOf(locked([{ height: 5 }, { height: 6 }]).toPSBT(2))
  const at = both.lastIndexOf("01120406000000")
  refuses(
    t,
    `${both.slice(0, at)}0111040065cd1d${both.slice(at + 14)}`,
    /one input requires a lock time by height, another by time/,
  )
})
