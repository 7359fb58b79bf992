// bitcoinjs-lib for version 0, @scure/btc-signer for version 2.
import { Transaction } from "@scure/btc-signer"
import { Psbt } from "bitcoinjs-lib"
import fc from "fast-check"
import { input as types } from "../../../signer/core/transaction/bitcoin/psbt-map.ts"
import type { BitcoinTransaction } from "../../../signer/core/transaction/bitcoin/transaction.ts"
import { psbtOf, textOf, textOfJudge, transactions } from "../../signer/core/transaction/bitcoin-judge.ts"
import { publishedVectors } from "../../harness/vectors.ts"
import { type Judge, requireSame } from "../engine/reader.ts"
import type { ReadPsbt } from "../readers/psbt.ts"

/** It names the message "Hello World" (BIP-322). */
const MESSAGE =
  "70736274ff01003d00000000012b3503d6a2614deaf1716c23325c53e0514b4afc98101c771752ad4067199db7000000000000000000010000000000000000016a0000000001090b48656c6c6f20576f726c640001011f00000000000000001600142b05d564e6a7a33c087f16e0f730d1440123799d0000"

export const judge: Judge<ReadPsbt[] | undefined> = {
  seeds() {
    const made = fc.sample(transactions, { numRuns: 60, seed: 1 }).map((one) => psbtOf(one).toBuffer())
    const { options, read } = publishedVectors<object>("bips/bip-0174.json")
    const texts = options.skip === false ? JSON.stringify(read()).match(/70736274ff[0-9a-f]+/g) : null
    return [...made, ...[MESSAGE, ...(texts ?? [])].map((hex) => Buffer.from(hex, "hex"))]
  },
  judge(input, outcome) {
    const [read] = "value" in outcome ? (outcome.value ?? []) : []
    if (read === undefined) return
    const { transaction } = read
    if (isOfVersion0(transaction)) {
      const theirs = orRefused(() => Psbt.fromBuffer(input), /invalid pubkey/)
      if (theirs !== undefined) requireSame(textOf(transaction), textOfJudge(theirs), "bitcoinjs-lib")
    } else {
      const theirs = membersByScure(input)
      if (theirs !== undefined) requireSame(membersOf(transaction), theirs, "@scure/btc-signer")
    }
  },
}

/** Undefined: a library refuses records that no signature depends on, as public keys that are no points. */
function orRefused<Value>(read: () => Value, expected = /^/): Value | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof Error && expected.test(error.message)) return undefined
    throw error
  }
}

/** bitcoinjs-lib reads version 0 alone, in which the global map has the transaction. */
function isOfVersion0({ psbt: { inputs } }: BitcoinTransaction): boolean {
  return inputs.every(({ map }) => map.records.every(({ type }) => type !== types.previousId))
}

function membersOf({ version, inputs, outputs, locktime, fee }: BitcoinTransaction): unknown[] {
  return [
    version,
    locktime.amount,
    fee,
    inputs.map(({ transactionId, outputIndex, sequence }) => [transactionId, outputIndex, sequence]),
    outputs.map(({ value, script }) => [value, Buffer.from(script)]),
  ]
}

function membersByScure(input: Buffer): unknown[] | undefined {
  const read = orRefused(() =>
    Transaction.fromPSBT(input, {
      allowUnknownInputs: true,
      allowUnknownOutputs: true,
      allowLegacyWitnessUtxo: true,
      disableScriptCheck: true,
      allowUnknown: true,
    }),
  )
  if (read === undefined) return undefined
  const inputs = Array.from({ length: read.inputsLength }, (_, index) => read.getInput(index))
  const outputs = Array.from({ length: read.outputsLength }, (_, index) => read.getOutput(index))
  return [
    read.version >>> 0,
    read.lockTime,
    read.fee,
    inputs.map(({ txid = new Uint8Array(), index, sequence }) => [
      Buffer.from(txid).toString("hex"),
      index,
      sequence,
    ]),
    outputs.map(({ amount, script = new Uint8Array() }) => [amount, Buffer.from(script)]),
  ]
}
