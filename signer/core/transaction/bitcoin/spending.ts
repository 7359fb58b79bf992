import { payToKeyHash, payToWitness, readWitnessProgram } from "../../address/bitcoin.ts"
import { hash160 } from "../../address/encoding.ts"
import { elementAt } from "../../crypto/element.ts"
import { input as inputTypes, valueOf } from "./psbt-map.ts"
import { isTaprootScript, type PsbtInput, type TaprootHashType, taprootHashType } from "./psbt.ts"
import { type LockedSpending, readLocks, requireUnlocked } from "./timelock.ts"

/** A key that may sign inputs: compressed point. `outputKeyOf`: 32 bytes of its Taproot output, for the root of a script tree if it has one. */
export type SpendingKey =
  | { readonly scheme: "ecdsa"; readonly publicKey: Uint8Array }
  | {
      readonly scheme: "taproot"
      readonly publicKey: Uint8Array
      readonly outputKeyOf: (merkleRoot?: Uint8Array) => Uint8Array
    }

/** The signature with which an input is spent. `script`: the one that checks it. `merkleRoot`: of the output's script tree, 32 bytes. */
export type Spending =
  | { readonly digest: "legacy"; readonly script: Uint8Array }
  | { readonly digest: "bip143"; readonly script: Uint8Array }
  | {
      readonly digest: "bip341"
      readonly hashType: TaprootHashType
      readonly merkleRoot: Uint8Array | undefined
    }

/**
 * The spending of an input to which the key belongs; undefined for any other input.
 *
 * - Taproot: the output of the key without script tree (BIP-86), or with the tree whose root the PSBT names (BIP-371).
 * - ECDSA: P2PKH, P2WPKH, and scripts in P2SH, P2WSH or both. Such a script pays to the key's hash, to the key, or to some
 *   of several keys, in P2WSH also behind time locks. No other script is signed: it may mean anything.
 * @throws Fault transaction if the input is of the key and still locked
 */
export function spendingOf(
  input: PsbtInput,
  key: SpendingKey,
  transaction: Omit<LockedSpending, "sequence">,
): Spending | undefined {
  const script = input.spent?.script
  if (script === undefined) return undefined
  if (key.scheme === "taproot") return keyPathOf(input, script, key)
  // A redeem script is there only with the script that has its hash.
  const spent = input.redeemScript ?? script
  const witness = readWitnessProgram(spent)
  if (witness === undefined)
    return checksSignatureOf(spent, key) ? { digest: "legacy", script: spent } : undefined
  if (witness.version !== 0) return undefined
  if (isEqual(witness.program, hash160(key.publicKey)))
    return { digest: "bip143", script: payToKeyHash(key.publicKey) }
  const { witnessScript } = input
  if (witnessScript === undefined) return undefined
  const { locks, rest } = readLocks(witnessScript)
  if (!checksSignatureOf(rest, key)) return undefined
  requireUnlocked(locks, { ...transaction, sequence: input.sequence })
  return { digest: "bip143", script: witnessScript }
}

function keyPathOf(
  input: PsbtInput,
  script: Uint8Array,
  { outputKeyOf }: Extract<SpendingKey, { scheme: "taproot" }>,
): Spending | undefined {
  if (!isTaprootScript(script)) return undefined
  const paysTo = (merkleRoot?: Uint8Array) => isEqual(script, payToWitness(1, outputKeyOf(merkleRoot)))
  const keyPath = { digest: "bip341", hashType: taprootHashType(input) } as const
  if (paysTo()) return { ...keyPath, merkleRoot: undefined }
  const merkleRoot = valueOf(input.map, inputTypes.tapMerkleRoot)?.bytes
  return merkleRoot !== undefined && paysTo(merkleRoot) ? { ...keyPath, merkleRoot } : undefined
}

const [OP_1, OP_16, OP_CHECKSIG, OP_CHECKMULTISIG] = [0x51, 0x60, 0xac, 0xae] as const
const [COMPRESSED, UNCOMPRESSED] = [33, 65] as const

function checksSignatureOf(script: Uint8Array, { publicKey }: SpendingKey): boolean {
  return (
    isEqual(script, payToKeyHash(publicKey)) ||
    isEqual(script, Uint8Array.of(COMPRESSED, ...publicKey, OP_CHECKSIG)) ||
    (multisigKeys(script) ?? []).some((one) => isEqual(one, publicKey))
  )
}

/** Keys of `OP_m`, pushed keys, `OP_n OP_CHECKMULTISIG`; undefined for any other script. */
function multisigKeys(script: Uint8Array): Uint8Array[] | undefined {
  const end = script.length - 2
  if (end < 1 || elementAt(script, end + 1) !== OP_CHECKMULTISIG) return undefined
  const [required, count] = [smallNumber(elementAt(script, 0)), smallNumber(elementAt(script, end))]
  const keys: Uint8Array[] = []
  for (let at = 1; at < end; ) {
    const length = elementAt(script, at)
    if ((length !== COMPRESSED && length !== UNCOMPRESSED) || at + 1 + length > end) return undefined
    keys.push(script.subarray(at + 1, at + 1 + length))
    at += 1 + length
  }
  return required > 0 && required <= count && count === keys.length ? keys : undefined
}

/** 1 to 16 of OP_1 to OP_16; 0 for any other byte. */
function smallNumber(opcode: number): number {
  return opcode < OP_1 || opcode > OP_16 ? 0 : opcode - OP_1 + 1
}

function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0
}
