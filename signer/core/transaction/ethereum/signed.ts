import { Fault } from "../../fault.ts"
import { elementAt } from "../../crypto/element.ts"
import { integerOf, MAX_UINT256, requireList } from "./fields.ts"
import { readRlp, rlpInteger, rlpList, rlpString } from "./rlp.ts"
import {
  type EthereumSignature,
  type EthereumTransaction,
  ethereumSigningHash,
  ethereumTransactionHash,
  readEthereumTransaction,
} from "./transaction.ts"

/** A transaction as nodes take it. `hash`: of its bytes; `digest`: what its sender signed. */
export type SignedEthereumTransaction = {
  readonly transaction: EthereumTransaction
  readonly signature: EthereumSignature
  readonly digest: Uint8Array
  readonly hash: string
}

/** Order of the curve secp256k1, and the greatest `s` that nodes take (EIP-2). */
const ORDER = 0xffff_ffff_ffff_ffff_ffff_ffff_ffff_fffe_baae_dce6_af48_a03b_bfd2_5e8c_d036_4141n
const MAX_S = ORDER / 2n
const SIGNATURE_FIELDS = 3
const FIRST_LEGACY = 0xc0
const BLOBS = 3

/**
 * Reads a signed transaction of one chain. Its unsigned part is read as strictly as one to be signed.
 * @throws Fault transaction, also for a legacy transaction without chain id, and for one with blobs: nodes take that with
 *   the blobs alone
 */
export function readSignedEthereumTransaction(bytes: Uint8Array): SignedEthereumTransaction {
  const first = bytes[0]
  if (first === undefined) throw new Fault("transaction", "the transaction is empty", 0)
  if (first === BLOBS) throw new Fault("transaction", "transactions with blobs are not sent", 0)
  const isLegacy = first >= FIRST_LEGACY
  const { items } = requireList(readRlp(bytes, isLegacy ? 0 : 1), "the transaction")
  const signed = items.slice(-SIGNATURE_FIELDS)
  if (items.length <= SIGNATURE_FIELDS) throw new Fault("transaction", "the transaction has no signature", 0)
  const [v, r, s] = ["v", "r", "s"].map((name, at) =>
    integerOf(elementAt(signed, at), name, MAX_UINT256),
  ) as [bigint, bigint, bigint]
  const end = elementAt(signed, 0).offset
  const fields = bytes.subarray(elementAt(items, 0).offset, end)
  const { parity, chainId } = isLegacy ? readLegacyV(v, end) : { parity: v, chainId: undefined }
  const unsigned = isLegacy
    ? rlpList(fields, rlpInteger(chainId ?? 0n), rlpString(NOTHING), rlpString(NOTHING))
    : Buffer.concat([bytes.subarray(0, 1), rlpList(fields)])
  if (parity > 1n) throw new Fault("transaction", "yParity must be 0 or 1", end)
  if (r === 0n || s === 0n || r >= ORDER || s > MAX_S)
    throw new Fault("transaction", "no node takes this signature: r or s is out of range (EIP-2)", end)
  return {
    transaction: readEthereumTransaction(unsigned),
    signature: { r, s, parity: parity === 0n ? 0 : 1 },
    digest: ethereumSigningHash(unsigned),
    hash: ethereumTransactionHash(bytes),
  }
}

const NOTHING = new Uint8Array(0)

/** `35 + 2 * chain id + parity` (EIP-155). */
function readLegacyV(v: bigint, offset: number): { parity: bigint; chainId: bigint } {
  if (v >= 37n) return { parity: (v - 35n) % 2n, chainId: (v - 35n) / 2n }
  throw new Fault(
    "transaction",
    "the transaction names no chain (EIP-155): it would be valid on every one",
    offset,
  )
}
