import { crypto, initEccLib, networks, payments, Psbt, script, Transaction } from "bitcoinjs-lib"
import fc from "fast-check"
import * as ecc from "tiny-secp256k1"
import type { SpendingKey } from "../../../../signer/core/transaction/bitcoin/spending.ts"
import type { BitcoinTransaction } from "../../../../signer/core/transaction/bitcoin/transaction.ts"
import { taprootOutputKey } from "../../../../signer/enclave/keys/address/taproot.ts"

// PSBTs that bitcoinjs-lib makes, with the digests that it would sign.

initEccLib(ecc)
const network = networks.regtest

/** Public key of a private key of equal bytes. */
export function publicKeyOf(byte: number): Uint8Array {
  const key = ecc.pointFromScalar(new Uint8Array(32).fill(byte), true)
  if (key === null) throw new TypeError("no private key")
  return key
}

export const OWN = publicKeyOf(7)
const OTHER = publicKeyOf(9)

export const keys = {
  ecdsa: { scheme: "ecdsa", publicKey: OWN },
  taproot: {
    scheme: "taproot",
    publicKey: OWN,
    outputKeyOf: (root?: Uint8Array) => taprootOutputKey(OWN, root),
  },
} as const satisfies Record<SpendingKey["scheme"], SpendingKey>

const multisig = (key: Uint8Array) => payments.p2ms({ m: 1, pubkeys: [OTHER, key], network })
const keyHash = (key: Uint8Array) => payments.p2pkh({ pubkey: key, network })

/** Lock time and sequence that satisfy the locks of `lockedScript`: block 800,000, and ten blocks. */
export const UNLOCKED = { version: 2, locktime: 800_000, sequence: 10 }

/** `<800,000> CHECKLOCKTIMEVERIFY DROP <10> CHECKSEQUENCEVERIFY DROP <key> CHECKSIG`, compiled by bitcoinjs-lib. */
export function lockedScript(key: Uint8Array): Uint8Array {
  const { OPS, number } = script
  return script.compile([
    number.encode(UNLOCKED.locktime),
    OPS["OP_CHECKLOCKTIMEVERIFY"],
    OPS["OP_DROP"],
    OPS["OP_10"],
    OPS["OP_CHECKSEQUENCEVERIFY"],
    OPS["OP_DROP"],
    key,
    OPS["OP_CHECKSIG"],
  ] as Parameters<typeof script.compile>[0])
}

const OP_CHECKSIG = script.fromASM("OP_CHECKSIG")[0] ?? 0
const isTaproot = (kind: Kind) => kind === "tr" || kind === "tr(tree)"

/** Outputs that a key can spend, with the scripts that the PSBT must tell. */
const scripts = {
  pkh: keyHash,
  wpkh: (key: Uint8Array) => payments.p2wpkh({ pubkey: key, network }),
  "sh(wpkh)": (key: Uint8Array) =>
    payments.p2sh({ redeem: payments.p2wpkh({ pubkey: key, network }), network }),
  "sh(pkh)": (key: Uint8Array) => payments.p2sh({ redeem: keyHash(key), network }),
  "sh(multi)": (key: Uint8Array) => payments.p2sh({ redeem: multisig(key), network }),
  "wsh(pkh)": (key: Uint8Array) => payments.p2wsh({ redeem: keyHash(key), network }),
  "wsh(multi)": (key: Uint8Array) => payments.p2wsh({ redeem: multisig(key), network }),
  "sh(wsh(multi))": (key: Uint8Array) =>
    payments.p2sh({ redeem: payments.p2wsh({ redeem: multisig(key), network }), network }),
  "wsh(lock)": (key: Uint8Array) => payments.p2wsh({ redeem: { output: lockedScript(key) }, network }),
  tr: (key: Uint8Array) => payments.p2tr({ internalPubkey: key.subarray(1), network }),
  // Two leaves, of which another could spend one.
  "tr(tree)": (key: Uint8Array) =>
    payments.p2tr({
      internalPubkey: key.subarray(1),
      scriptTree: [
        { output: script.compile([OTHER.subarray(1), OP_CHECKSIG]) },
        { output: script.compile([key.subarray(1), OP_CHECKSIG]) },
      ],
      network,
    }),
} as const
type Kind = keyof typeof scripts

type Input = {
  kind: Kind
  isOwn: boolean
  value: number
  sequence: number
  isProven: boolean
  /** The PSBT asks for the hash type ALL; Taproot's own is DEFAULT. */
  asksForAll?: boolean
}
export type Given = {
  scheme: SpendingKey["scheme"]
  inputs: Input[]
  outputs: { kind: Kind; value: number }[]
  version: number
  locktime: number
}

const kind = fc.constantFrom(...(Object.keys(scripts) as Kind[]))
const value = fc.integer({ min: 600, max: 2 ** 40 })
const input = fc.record({
  kind,
  isOwn: fc.boolean(),
  value,
  sequence: fc.nat(0xffff_ffff),
  isProven: fc.boolean(),
  asksForAll: fc.boolean(),
})

/** Transactions of which a key of the scheme owns at least one input; the last output takes what is left, less a fee. */
export const transactions: fc.Arbitrary<Given> = fc
  .record({
    scheme: fc.constantFrom("ecdsa" as const, "taproot" as const),
    inputs: fc.array(input, { minLength: 1, maxLength: 4 }),
    outputs: fc.array(fc.record({ kind, value: fc.nat(100) }), { minLength: 1, maxLength: 4 }),
    version: fc.constantFrom(1, 2),
    locktime: fc.nat(0xffff_ffff),
  })
  .map((given) => {
    const inputs = given.inputs.map((one, index) => {
      const isOwn = one.isOwn || index === 0
      const isForScheme = isTaproot(one.kind) === (given.scheme === "taproot")
      const kind = !isOwn || isForScheme ? one.kind : given.scheme === "taproot" ? "tr" : "wpkh"
      return { ...one, isOwn, kind }
    })
    // Locked scripts are signed where the transaction satisfies their locks; what it does not is among the refusals.
    const isLocked = inputs.some(({ kind }) => kind === "wsh(lock)")
    if (!isLocked) return { ...given, inputs }
    const { version, locktime, sequence } = UNLOCKED
    return { ...given, version, locktime, inputs: inputs.map((one) => ({ ...one, sequence })) }
  })

/** The first transaction that pays an output, with an output of another. */
function previous(script: Uint8Array, value: number, index: number): Transaction {
  const transaction = new Transaction()
  transaction.addInput(new Uint8Array(32).fill(index + 1), index)
  transaction.addOutput(script, 5000n)
  transaction.addOutput(script, BigInt(value))
  return transaction
}

/** A PSBT as bitcoinjs-lib writes it. */
export function psbtOf({ scheme, inputs, outputs, version, locktime }: Given): Psbt {
  const psbt = new Psbt({ network })
  psbt.setVersion(version)
  psbt.setLocktime(locktime)
  for (const [index, { kind, isOwn, value, sequence, isProven, asksForAll = false }] of inputs.entries()) {
    const key = isOwn ? OWN : OTHER
    const { output, redeem, hash: merkleRoot } = scripts[kind](key)
    const script = output ?? new Uint8Array()
    const transaction = previous(script, value, index)
    const isLegacy = ["pkh", "sh(pkh)", "sh(multi)"].includes(kind)
    const needsProof = scheme === "ecdsa" && (inputs.length > 1 || isLegacy)
    const inner = redeem?.redeem ?? redeem
    psbt.addInput({
      hash: transaction.getId(),
      index: 1,
      sequence,
      ...(needsProof || isProven || isLegacy ? { nonWitnessUtxo: transaction.toBuffer() } : {}),
      ...(isLegacy || (needsProof && !isProven) ? {} : { witnessUtxo: { script, value: BigInt(value) } }),
      ...(kind.startsWith("sh(") && redeem?.output ? { redeemScript: redeem.output } : {}),
      ...(kind.includes("wsh(") && inner?.output ? { witnessScript: inner.output } : {}),
      ...(isTaproot(kind) ? { tapInternalKey: key.subarray(1) } : {}),
      ...(kind === "tr(tree)" && merkleRoot ? { tapMerkleRoot: merkleRoot } : {}),
      ...(asksForAll ? { sighashType: Transaction.SIGHASH_ALL } : {}),
    })
  }
  for (const [index, output] of outputs.entries()) {
    const script = scripts[output.kind](index % 2 === 0 ? OTHER : OWN).output ?? new Uint8Array()
    psbt.addOutput({ script, value: BigInt(output.value) })
  }
  return psbt
}

/** Digests of the inputs that belong to the key, as bitcoinjs-lib asks for their signatures, and the PSBT with these. */
export function signedByJudge({ scheme, inputs }: Given, psbt: Psbt) {
  const digests: string[] = []
  const note = (digest: Uint8Array) => digests.push(Buffer.from(digest).toString("hex"))
  const sign = (digest: Uint8Array) => (note(digest), signatureOf(digest))
  for (const [index, { kind, isOwn }] of inputs.entries()) {
    if (!isOwn || isTaproot(kind) !== (scheme === "taproot")) continue
    const outputKey = scripts[kind](OWN).pubkey ?? OWN
    const publicKey = scheme === "taproot" ? Uint8Array.of(2, ...outputKey) : OWN
    const signer = { publicKey, sign, signSchnorr: sign }
    psbt.signInput(index, signer, [Transaction.SIGHASH_DEFAULT, Transaction.SIGHASH_ALL])
  }
  return { digests, signed: psbt.toHex() }
}

/** 64 bytes that stand for a signature: the digest is their first half, below the order. */
export function signatureOf(digest: Uint8Array): Uint8Array {
  return Uint8Array.of(1, ...digest.subarray(1), ...new Uint8Array(32).fill(3))
}

/** A signature of the private key of `OWN`; for Taproot of the key that its first output pays, by BIP-341. */
export function validSignature(digest: Uint8Array, { scheme, inputs }: Given): Uint8Array {
  const secret = new Uint8Array(32).fill(7)
  if (scheme === "ecdsa") return ecc.sign(digest, secret)
  const root = scripts[inputs[0]?.kind ?? "tr"](OWN).hash ?? new Uint8Array()
  const even = OWN[0] === 2 ? secret : ecc.privateNegate(secret)
  const tweak = crypto.taggedHash("TapTweak", Uint8Array.of(...OWN.subarray(1), ...root))
  return ecc.signSchnorr(digest, ecc.privateAdd(even, tweak) ?? new Uint8Array(32))
}

/** The members that policies see, in one shape for both readers. */
export function textOf({ version, inputs, outputs, locktime, fee }: BitcoinTransaction): string {
  return JSON.stringify([
    version,
    inputs.map(({ transactionId, outputIndex, sequence }) => [transactionId, outputIndex, sequence]),
    outputs.map(({ value, script }) => [value.toString(), Buffer.from(script).toString("hex")]),
    locktime.amount,
    fee.toString(),
  ])
}

export function textOfJudge(psbt: Psbt): string {
  const spent = psbt.data.inputs.map(({ witnessUtxo, nonWitnessUtxo }, index) => {
    if (witnessUtxo !== undefined) return witnessUtxo.value
    const transaction = Transaction.fromBuffer(nonWitnessUtxo ?? new Uint8Array())
    return transaction.outs[psbt.txInputs[index]?.index ?? 0]?.value ?? 0n
  })
  const paid = psbt.txOutputs.map(({ value }) => value)
  return JSON.stringify([
    psbt.version,
    psbt.txInputs.map(({ hash, index, sequence }) => [
      Buffer.from(hash.toReversed()).toString("hex"),
      index,
      sequence,
    ]),
    psbt.txOutputs.map(({ value, script }) => [value.toString(), Buffer.from(script).toString("hex")]),
    psbt.locktime,
    (sum(spent) - sum(paid)).toString(),
  ])
}

function sum(values: readonly bigint[]): bigint {
  return values.reduce((one, other) => one + other, 0n)
}
