import { Fault } from "../../fault.ts"
import { elementAt } from "../../crypto/element.ts"
import { writeDerSignature } from "../../stamp/der.ts"
import { signerRefusal } from "../refusal.ts"
import { sized } from "./cursor.ts"
import { Digests } from "./digest.ts"
import { input as types, type PsbtMap, valueOf } from "./psbt-map.ts"
import { type Psbt, type PsbtInput, SIGHASH_ALL, SIGHASH_DEFAULT } from "./psbt.ts"
import { type Spending, type SpendingKey, spendingOf } from "./spending.ts"
import { readBitcoinTransaction } from "./transaction.ts"

/** The inputs of a PSBT that belong to one key. */
export type BitcoinSigning = {
  /**
   * `digest` makes the 32 bytes to be signed. One of a legacy input hashes the whole transaction. `merkleRoot`: 32 bytes, of the script tree
   * of a Taproot output.
   */
  readonly inputs: readonly {
    readonly digest: () => Uint8Array
    readonly merkleRoot: Uint8Array | undefined
  }[]
  /**
   * The PSBT with the signatures, not finalized: ECDSA in DER with the byte ALL, Schnorr as its 64 bytes, with the
   * byte ALL if the PSBT asks for it. All other bytes stay.
   * @param signatures r || s for each input
   */
  withSignatures(signatures: readonly Uint8Array[]): Uint8Array
}

/** Possible reasons why no input of the key is found. */
const NO_INPUT =
  "P2SH needs redeem_script, P2WSH witness_script, a script tree of P2TR tap_merkle_root; a P2TR address signs P2TR inputs only, by their key path"
/** In a compressed point, X follows the first byte. */
const X_AT = 1

/**
 * Reads a PSBT to be signed by a key.
 * @throws TRANSACTION_SIGNER_MISSING if no input belongs to the key
 * @throws Fault transaction, also if one of them is signed already or names another way to be spent
 */
export function readBitcoinSigning(bytes: Uint8Array, key: SpendingKey): BitcoinSigning {
  const { psbt } = readBitcoinTransaction(bytes, key.scheme)
  const { version, locktime } = psbt.transaction
  const digests = new Digests(psbt)
  const own = psbt.inputs.flatMap((input, index) => {
    const name = `input ${index}`
    const spending = spendingOf(input, key, { version, locktime, name })
    if (spending === undefined) return []
    requireUnsigned(input, spending, key, name)
    const merkleRoot = spending.digest === "bip341" ? spending.merkleRoot : undefined
    return [{ map: input.map, spending, digest: () => digests.of(index, spending), merkleRoot }]
  })
  if (own.length > 0) {
    return {
      inputs: own,
      withSignatures: (signatures) => insertSignatures(withoutChanges(bytes, psbt), own, key, signatures),
    }
  }
  throw signerRefusal(`the key ${Buffer.from(key.publicKey).toString("hex")}`, NO_INPUT)
}

function requireUnsigned({ map }: PsbtInput, spending: Spending, key: SpendingKey, name: string): void {
  const has = (type: number) => map.records.some((record) => record.type === type)
  const fault = (sentence: string) => new Fault("transaction", `${name} ${sentence}`, map.end)
  const own = map.records.find(({ key: record }) => Buffer.compare(record, recordKey(key)) === 0)
  if (own !== undefined || has(types.finalScript) || has(types.finalWitness)) throw fault("is signed already")
  if (spending.digest !== "bip341") return
  const isOnScriptPath = has(types.tapScriptSignature)
  const hasUnknownTree =
    spending.merkleRoot === undefined && (has(types.tapLeafScript) || has(types.tapMerkleRoot))
  if (isOnScriptPath || hasUnknownTree)
    throw fault("has a script path; only the key path of Taproot is signed")
  const internal = valueOf(map, types.tapInternalKey)
  if (internal !== undefined && Buffer.compare(internal.bytes, key.publicKey.subarray(X_AT)) !== 0)
    throw fault("names another internal key")
}

/** Bits of PSBT_GLOBAL_TX_MODIFIABLE: inputs, and outputs, may still be added. */
const MAY_CHANGE = 0b11

/** The PSBT that allows no change any more: each signature is over the whole transaction (BIP-370, "Signer"). */
function withoutChanges(bytes: Uint8Array, { modifiable }: Psbt): Uint8Array {
  if (modifiable === undefined) return bytes
  const fixed = Uint8Array.from(bytes)
  fixed[modifiable.offset] = elementAt(modifiable.bytes, 0) & ~MAY_CHANGE
  return fixed
}

function insertSignatures(
  bytes: Uint8Array,
  own: readonly { map: PsbtMap; spending: Spending }[],
  key: SpendingKey,
  signatures: readonly Uint8Array[],
): Uint8Array {
  let from = 0
  const parts = own.flatMap(({ map, spending }, place) => {
    const at = placeOf(recordKey(key), map)
    const before = bytes.subarray(from, at)
    from = at
    return [before, sized(recordKey(key)), sized(signatureValue(spending, elementAt(signatures, place)))]
  })
  return Buffer.concat([...parts, bytes.subarray(from)])
}

/** Type and key data of the record that has the key's signature. */
function recordKey({ scheme, publicKey }: SpendingKey): Uint8Array {
  if (scheme === "taproot") return Uint8Array.of(types.tapKeySignature)
  return Uint8Array.of(types.partialSignature, ...publicKey)
}

/** A Schnorr signature of the hash type DEFAULT has no byte for it (BIP-341). */
function signatureValue(spending: Spending, signature: Uint8Array): Uint8Array {
  if (spending.digest !== "bip341") return Uint8Array.of(...writeDerSignature(signature), SIGHASH_ALL)
  return spending.hashType === SIGHASH_DEFAULT ? signature : Uint8Array.of(...signature, spending.hashType)
}

/** Place of a new record: in front of the first one with a greater key, as libraries order them. */
function placeOf(key: Uint8Array, { records, end }: PsbtMap): number {
  return records.find((record) => Buffer.compare(record.key, key) > 0)?.offset ?? end
}
