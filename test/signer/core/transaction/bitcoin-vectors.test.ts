// The vectors of BIP-143, BIP-174, BIP-341 and BIP-371.
import { base58 } from "@scure/base"
import t from "tap"
import { readWitnessProgram } from "../../../../signer/core/address/bitcoin.ts"
import { sized } from "../../../../signer/core/transaction/bitcoin/cursor.ts"
import { Digests } from "../../../../signer/core/transaction/bitcoin/digest.ts"
import { type Psbt, type PsbtInput, readPsbt } from "../../../../signer/core/transaction/bitcoin/psbt.ts"
import { readUnsignedTransaction } from "../../../../signer/core/transaction/bitcoin/raw-transaction.ts"
import { readBitcoinSigning } from "../../../../signer/core/transaction/bitcoin/sign.ts"
import { readBitcoinTransaction } from "../../../../signer/core/transaction/bitcoin/transaction.ts"
import { Secret } from "../../../../signer/core/crypto/secret.ts"
import { SigningKey } from "../../../../signer/enclave/keys/signing-key.ts"
import { publishedVectors } from "../../../harness/vectors.ts"

const fromHex = (text: string) => Buffer.from(text, "hex")
const toHex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")

type Case = { case: string; hex: string }
type Psbts = { invalid: Case[]; valid: Case[] }
type Step = { result: { hex: string }; keys: { wif: string }[] }
type Bip174 = Psbts & {
  failsSignerChecks: Case[]
  workflow: Record<"updaterSighashAll" | "signer1" | "signer2", Step> & {
    updater: { previousTransactions: string[] }
  }
}
const bip174 = publishedVectors<Bip174>("bips/bip-0174.json")
const bip371 = publishedVectors<Psbts>("bips/bip-0371.json")

/** Valid to BIP-174, and no transaction that can be signed. */
const WITHOUT_INPUTS = /0 inputs/

for (const [name, vectors] of [
  ["BIP-174", bip174],
  ["BIP-371", bip371],
] as const) {
  t.test(`invalid PSBTs of ${name} are refused, valid ones are read`, vectors.options, async (t) => {
    const { invalid, valid } = vectors.read()
    for (const one of invalid)
      t.throws(() => readPsbt(fromHex(one.hex)), { name: "Fault", kind: "transaction" }, one.case)
    for (const one of valid) {
      if (WITHOUT_INPUTS.test(one.case))
        t.throws(() => readPsbt(fromHex(one.hex)), { name: "Fault", kind: "transaction" }, one.case)
      else t.ok(readPsbt(fromHex(one.hex)), one.case)
    }
  })
}

t.test("PSBTs that a signer must refuse by BIP-174 are refused", bip174.options, async (t) => {
  for (const { case: title, hex } of bip174.read().failsSignerChecks)
    t.throws(
      () => readBitcoinTransaction(fromHex(hex), "ecdsa"),
      { name: "Fault", kind: "transaction" },
      title,
    )
})

t.test("the signers of BIP-174 sign as published, once all amounts are proven", bip174.options, async (t) => {
  const { updater, updaterSighashAll, signer1, signer2 } = bip174.read().workflow
  const unsigned = fromHex(updaterSighashAll.result.hex)
  t.throws(() => readBitcoinTransaction(unsigned, "ecdsa"), {
    message: /input 1 comes without a proof of its amount: add its previous transaction as non_witness_utxo/,
  })
  const second = readPsbt(unsigned).inputs[1]?.outpoint ?? new Uint8Array()
  const proof = updater.previousTransactions.map(fromHex).find((one) => provesOutput(one, second))
  if (proof === undefined) throw new Error("the vectors have no such transaction")
  const proven = withProof(unsigned, proof)
  for (const { keys, result } of [signer1, signer2]) {
    const signed = keys.reduce((psbt, { wif }) => signedBy(wif, psbt), proven)
    t.equal(toHex(signed), toHex(withProof(fromHex(result.hex), proof)))
  }
})

function provesOutput(transaction: Buffer, outpoint: Uint8Array): boolean {
  const previous = sized(transaction)
  try {
    return readPsbt(withOneInput(outpoint, previous)).inputs[0]?.isProven ?? false
  } catch {
    return false
  }
}

/** A PSBT of one input with its previous transaction, and one output. */
function withOneInput(outpoint: Uint8Array, previous: Uint8Array): Uint8Array {
  const unsigned = Buffer.concat([
    fromHex("0200000001"),
    outpoint,
    fromHex("00ffffffff01"),
    Buffer.alloc(9 + 4),
  ])
  const maps = Buffer.concat([fromHex("0100"), previous, fromHex("0000")])
  return Buffer.concat([fromHex("70736274ff0100"), sized(unsigned), fromHex("00"), maps])
}

/** The PSBT with a previous transaction in the map of its second input. */
function withProof(psbt: Uint8Array, transaction: Uint8Array): Uint8Array {
  const at = (readPsbt(psbt).inputs[0]?.map.end ?? 0) + 1
  const record = Buffer.concat([fromHex("0100"), sized(transaction)])
  return Buffer.concat([psbt.subarray(0, at), record, psbt.subarray(at)])
}

function signedBy(wif: string, psbt: Uint8Array): Uint8Array {
  // Version (1), key (32), 01 for a compressed public key (1), checksum (4).
  const secret = Secret.copyOf(base58.decode(wif).subarray(1, 33))
  const key = new SigningKey({ curve: "CURVE_SECP256K1", secret })
  const signing = readBitcoinSigning(psbt, { scheme: "ecdsa", publicKey: fromHex(key.publicKeyHex) })
  return signing.withSignatures(
    signing.inputs.map(({ digest }) => {
      const { r, s } = key.sign({ digest: digest() })
      return fromHex(r + s)
    }),
  )
}

const NOTHING_TOLD = {
  map: { records: [], end: 0 },
  isProven: false,
  redeemScript: undefined,
  witnessScript: undefined,
} satisfies Partial<PsbtInput>

/** A transaction with the outputs that its inputs spend; satoshi. */
function digestsOf(unsigned: string, spent: { script: string; value: bigint }[]): Digests {
  const transaction = readUnsignedTransaction({ bytes: fromHex(unsigned), offset: 0 })
  const inputs = transaction.inputs.map((input, index) => {
    const { script = "", value = 0n } = spent[index] ?? {}
    return { ...input, ...NOTHING_TOLD, spent: { script: fromHex(script), value } }
  })
  return new Digests({ transaction, inputs, message: undefined, modifiable: undefined } satisfies Psbt)
}

type Bip143 = {
  name: string
  unsignedTx?: string
  inputs?: { scriptPubKey: string; valueBtc: string; witnessScript?: string; redeemScript?: string }[]
  signings: { hashType: number; sigHash: string; preimage: string }[]
}
const bip143 = publishedVectors<Bip143[]>("bips/bip-0143.json")
const SIGHASH_ALL = 1

t.test("digests of SegWit inputs are those of BIP-143", bip143.options, async (t) => {
  let count = 0
  // The last of the file has no unsigned transaction: it is about the removal of signatures from scripts.
  const transactions = bip143.read().filter(({ unsignedTx }) => unsignedTx !== undefined)
  for (const { name, unsignedTx = "", inputs = [], signings } of transactions) {
    const digests = digestsOf(
      unsignedTx,
      inputs.map(({ scriptPubKey, valueBtc }) => ({
        script: scriptPubKey,
        value: BigInt(Math.round(Number(valueBtc) * 1e8)),
      })),
    )
    for (const { hashType, sigHash, preimage } of signings) {
      if (hashType !== SIGHASH_ALL) continue
      // Version, two hashes, the outpoint; then the length of the script, below 253, or fd and two bytes.
      const at = 4 + 32 + 32
      const rest = fromHex(preimage)
      const index = inputs.findIndex((_input, place) =>
        isInput(unsignedTx, place, rest.subarray(at, at + 36)),
      )
      const isLong = rest[at + 36] === 0xfd
      const length = isLong ? rest.readUInt16LE(at + 37) : (rest[at + 36] ?? 0)
      const from = at + (isLong ? 39 : 37)
      const script = rest.subarray(from, from + length)
      t.equal(toHex(digests.of(index, { digest: "bip143", script })), sigHash, name)
      count += 1
    }
  }
  t.equal(count, 4)
})

function isInput(unsigned: string, index: number, outpoint: Uint8Array): boolean {
  const { inputs } = readUnsignedTransaction({ bytes: fromHex(unsigned), offset: 0 })
  return Buffer.compare(inputs[index]?.outpoint ?? new Uint8Array(), outpoint) === 0
}

type Bip341 = {
  keyPathSpending: {
    given: { rawUnsignedTx: string; utxosSpent: { scriptPubKey: string; amountSats: number }[] }
    inputSpending: { given: { txinIndex: number; hashType: number }; intermediary: { sigHash: string } }[]
  }[]
}
const bip341 = publishedVectors<Bip341>("bips/bip-0341.json")
const SIGHASH_DEFAULT = 0

t.test("digests of Taproot inputs are those of BIP-341", bip341.options, async (t) => {
  let count = 0
  for (const { given, inputSpending } of bip341.read().keyPathSpending) {
    const spent = given.utxosSpent.map(({ scriptPubKey, amountSats }) => ({
      script: scriptPubKey,
      value: BigInt(amountSats),
    }))
    const digests = digestsOf(given.rawUnsignedTx, spent)
    for (const { given: input, intermediary } of inputSpending) {
      const { hashType } = input
      if (hashType !== SIGHASH_DEFAULT && hashType !== SIGHASH_ALL) continue
      t.ok(readWitnessProgram(fromHex(spent[input.txinIndex]?.script ?? "")))
      t.equal(
        toHex(digests.of(input.txinIndex, { digest: "bip341", hashType, merkleRoot: undefined })),
        intermediary.sigHash,
      )
      count += 1
    }
  }
  t.equal(count, 2)
})
