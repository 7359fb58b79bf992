// Messages that PSBTs sign (BIP-322): published vectors, made into PSBTs by bitcoinjs-lib, which also finalizes them.
import { readFileSync } from "node:fs"
import { schnorr } from "@noble/curves/secp256k1.js"
import { base58 } from "@scure/base"
import { address as addresses, initEccLib, networks, Psbt, Transaction } from "bitcoinjs-lib"
import t from "tap"
import * as ecc from "tiny-secp256k1"
import { Secret } from "../../../../signer/core/crypto/secret.ts"
import { readBitcoinSigning } from "../../../../signer/core/transaction/bitcoin/sign.ts"
import type { SpendingKey } from "../../../../signer/core/transaction/bitcoin/spending.ts"
import { readPsbt } from "../../../../signer/core/transaction/bitcoin/psbt.ts"
import { bitcoinSchemeOf } from "../../../../signer/core/transaction/bitcoin/transaction.ts"
import { taprootOutputKey } from "../../../../signer/enclave/keys/address/taproot.ts"
import { SigningKey } from "../../../../signer/enclave/keys/signing-key.ts"
import { factsOf, titlesOf, wordsOf } from "../words/reading.ts"

initEccLib(ecc)

type Vectors = {
  hashes: { message: string; address: string; toSpend: string; toSign: string }[]
  simple: { message: string; key: string; address: string; signatures: string[] }[]
  full: { message: string; key: string; address: string; transaction: string }[]
}
const vectors = JSON.parse(readFileSync(new URL("bip322.json", import.meta.url), "utf8")) as Vectors

const ADDRESS = "bc1q9vza2e8x573nczrlzms0wvx3gsqjx7vavgkx0l"
const MESSAGE_TYPE = Uint8Array.of(9)
const OP_RETURN = Uint8Array.of(0x6a)
const bytesOf = (text: string) => new TextEncoder().encode(text)

/** The output of which BIP-322 makes a message's signature. */
function toSpend(message: Uint8Array, script: Uint8Array): Transaction {
  const transaction = new Transaction()
  transaction.version = 0
  const digest = schnorr.utils.taggedHash("BIP0322-signed-message", message)
  transaction.addInput(new Uint8Array(32), 0xff_ff_ff_ff, 0, Uint8Array.of(0, 32, ...digest))
  transaction.addOutput(script, 0n)
  return transaction
}

type Given = {
  message?: Uint8Array
  address?: string
  version?: number
  locktime?: number
  sequence?: number
  /** Of the output that is spent. */
  value?: bigint
  outputs?: { script: Uint8Array; value: bigint }[]
  spends?: Transaction
  told?: Uint8Array | undefined
}

function psbtOf({ message = bytesOf("Hello World"), address = ADDRESS, ...given }: Given): Psbt {
  const script = addresses.toOutputScript(address, networks.bitcoin)
  const { version = 0, locktime = 0, sequence = 0, value = 0n, spends = toSpend(message, script) } = given
  const psbt = new Psbt()
  psbt.setVersion(version)
  psbt.setLocktime(locktime)
  const isLegacy = address.startsWith("1")
  psbt.addInput({
    hash: spends.getHash(),
    index: 0,
    sequence,
    ...(isLegacy ? { nonWitnessUtxo: spends.toBuffer() } : { witnessUtxo: { script, value } }),
  })
  for (const output of given.outputs ?? [{ script: OP_RETURN, value: 0n }]) psbt.addOutput(output)
  const told = "told" in given ? given.told : message
  if (told !== undefined) psbt.addUnknownKeyValToGlobal({ key: MESSAGE_TYPE, value: told })
  return psbt
}

/** The transaction that bitcoinjs-lib makes of the PSBT signed here. */
function signedBy(wif: string, psbt: Psbt, address: string): Transaction {
  const secret = Secret.copyOf(base58.decode(wif).subarray(1, 33))
  const scheme = bitcoinSchemeOf(address)
  const key = new SigningKey({ curve: "CURVE_SECP256K1", secret }, scheme === "taproot" ? scheme : "default")
  const publicKey = Buffer.from(key.publicKeyHex, "hex")
  const spending: SpendingKey =
    scheme === "taproot"
      ? { scheme, publicKey, outputKeyOf: (root) => taprootOutputKey(publicKey, root) }
      : { scheme, publicKey }
  const signing = readBitcoinSigning(psbt.toBuffer(), spending)
  const signatures = signing.inputs.map(({ digest, merkleRoot }) => {
    const { r, s } = key.sign({ digest: digest(), merkleRoot })
    return Buffer.from(r + s, "hex")
  })
  const signed = Psbt.fromBuffer(signing.withSignatures(signatures))
  signed.finalizeAllInputs()
  return signed.extractTransaction(true)
}

/** The witness of the only input as BIP-322 writes a simple signature. */
function simpleSignature(transaction: Transaction): string {
  const witness = transaction.ins[0]?.witness ?? []
  return Buffer.concat([
    Uint8Array.of(witness.length),
    ...witness.flatMap((item) => [Uint8Array.of(item.length), item]),
  ]).toString("base64")
}

t.test("the transactions have the published ids", async (t) => {
  for (const { message, address, toSpend: spent, toSign } of vectors.hashes) {
    const script = addresses.toOutputScript(address, networks.bitcoin)
    t.equal(toSpend(bytesOf(message), script).getId(), spent, "of the PSBTs that this test makes")
    const psbt = psbtOf({ message: bytesOf(message), address })
    t.equal(Transaction.fromBuffer(psbt.data.getTransaction()).getId(), toSign)
    t.same(readPsbt(psbt.toBuffer()).message?.text, bytesOf(message))
  }
})

t.test(
  "C-1816: signatures of messages are those of the vectors, or with another nonce valid as they are",
  async (t) => {
    for (const { message, key, address, signatures } of vectors.simple) {
      const signed = signedBy(key, psbtOf({ message: bytesOf(message), address }), address)
      const signature = simpleSignature(signed)
      if (!address.startsWith("bc1p")) t.ok(signatures.includes(signature), `${address}: ${signature}`)
      // One item of 64 bytes.
      for (const one of address.startsWith("bc1p") ? [signature, ...signatures] : [])
        t.ok(isValidTaproot(signed, Buffer.from(one, "base64").subarray(2), address), one)
    }
    for (const { message, key, address, transaction } of vectors.full) {
      const published = Transaction.fromBuffer(Buffer.from(transaction, "base64"))
      const { version, locktime, ins } = published
      const { sequence = 0, witness = [] } = ins[0] ?? {}
      const psbt = psbtOf({ message: bytesOf(message), address, version, locktime, sequence })
      const signed = signedBy(key, psbt, address)
      t.equal(signed.getId(), published.getId())
      if (address.startsWith("bc1p"))
        for (const one of [...witness, ...(signed.ins[0]?.witness ?? [])])
          t.ok(isValidTaproot(signed, one, address), address)
      else t.equal(Buffer.from(signed.toBuffer()).toString("base64"), transaction, address)
    }
  },
)

/** By another library, over the digest of bitcoinjs-lib: the vectors' Schnorr signatures have nonces of another making. */
function isValidTaproot(transaction: Transaction, signature: Uint8Array, address: string): boolean {
  const script = addresses.toOutputScript(address, networks.bitcoin)
  const digest = transaction.hashForWitnessV1(0, [script], [0n], Transaction.SIGHASH_DEFAULT)
  return schnorr.verify(signature, digest, script.subarray(2))
}

t.test("C-1816: a PSBT that names a message and signs another transaction is refused", async (t) => {
  const refused = (given: Given, message: RegExp) =>
    t.throws(() => readPsbt(psbtOf(given).toBuffer()), { name: "Fault", kind: "transaction", message })
  refused({ told: bytesOf("Hello World!") }, /does not spend the transaction made of this message/)
  refused({ spends: toSpend(bytesOf("Hello World"), OP_RETURN) }, /and this address/)
  refused({ value: 1n }, /has satoshi/)
  refused({ version: 1 }, /version is neither 0 nor 2/)
  const nothing = { script: OP_RETURN, value: 0n }
  refused({ outputs: [nothing, nothing] }, /other outputs/)
  refused({ outputs: [{ script: OP_RETURN, value: 1n }] }, /other outputs/)
  refused({ outputs: [{ script: Uint8Array.of(0x6a, 0), value: 0n }] }, /other outputs/)
  const withoutOutput = new Psbt()
  withoutOutput.setVersion(0)
  withoutOutput.addInput({ hash: Buffer.alloc(32, 1), index: 0, sequence: 0 })
  withoutOutput.addOutput(nothing)
  withoutOutput.addUnknownKeyValToGlobal({ key: MESSAGE_TYPE, value: bytesOf("text") })
  t.throws(() => readPsbt(withoutOutput.toBuffer()), { message: /add witness_utxo/ })
})

t.test(
  "W25: a PSBT that signs a message is shown as the message, and where it does not tell it that is said",
  async (t) => {
    const words = (psbt: Psbt) =>
      wordsOf("SIGN_TRANSACTION_V2", {
        signWith: ADDRESS,
        unsignedTransaction: psbt.toHex(),
        type: "TRANSACTION_TYPE_BITCOIN",
      })
    const shown = words(psbtOf({}))
    t.same(titlesOf(shown), ["Message (BIP-322)"])
    t.match(factsOf(shown), { Text: /Hello World/, "Signed for": ADDRESS })
    t.match(shown.contents[0]?.warnings, [])
    const unreadable = words(psbtOf({ message: Uint8Array.of(0xff, 0x00) }))
    t.match(factsOf(unreadable), { Bytes: "ff00" })
    t.match(unreadable.contents[0]?.warnings, [/Nobody can read this message/])
    const untold = words(psbtOf({ told: undefined }))
    t.same(titlesOf(untold), ["Bitcoin transaction"])
    t.match(untold.contents[0]?.warnings, [/does not tell the message/])
    const lied = words(psbtOf({ told: bytesOf("Something else") }))
    t.match(lied.contents[0]?.warnings, [/The signer refuses it: .*made of this message/])
    const funds = psbtOf({})
    const output = { script: addresses.toOutputScript(ADDRESS, networks.bitcoin), value: 7n }
    const previous = new Transaction()
    previous.addInput(Buffer.alloc(32, 5), 0)
    previous.addOutput(output.script, output.value)
    const [first] = funds.data.inputs
    first!.nonWitnessUtxo = toSpend(bytesOf("Hello World"), output.script).toBuffer()
    funds.addInput({ hash: previous.getHash(), index: 0, nonWitnessUtxo: previous.toBuffer() })
    t.match(factsOf(words(funds)), { "Shows control of": `output 0 of ${previous.getId()}` })
  },
)
