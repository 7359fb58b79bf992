import { TransactionType } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { readTronTransaction, type TronContract } from "../../../transaction/tron/transaction.ts"
import { readUnsigned } from "../../../transaction/unsigned.ts"
import { type Members, members, type Value } from "../../../policy/expression.ts"
import type { UnsignedTransaction } from "../../../policy/facts/declared.ts"
import { tokenCall } from "./token-call.ts"

/**
 * The root `tron.tx` of a transaction to be signed; undefined for one of another chain.
 * @throws Fault transaction, also for a call of a token's function with arguments of another
 */
export function tronTransactionRoot({ unsigned }: { unsigned?: UnsignedTransaction }): Members | undefined {
  if (unsigned?.type !== TransactionType.TRON) return undefined
  const transaction = readTronTransaction(readUnsigned(unsigned.text))
  return members({
    ref_block_bytes: transaction.refBlockBytes,
    ref_block_hash: transaction.refBlockHash,
    expiration: transaction.expiration,
    timestamp: transaction.timestamp,
    fee_limit: transaction.feeLimit,
    data: transaction.data,
    contract: [contractValue(transaction.contract)],
  })
}

/** The fields of the contract's type; a field of another type is absent, and reading it is a fault. */
function contractValue({ type, permissionId, fields }: TronContract): Members {
  const call = type === "TriggerSmartContract" ? tokenCall(fields.data) : {}
  return members({ type, permission_id: permissionId, ...valuesOf(fields), ...call })
}

/** A value of a message. Messages and lists of them are those of account permissions. */
type FieldValue = bigint | boolean | string | undefined | readonly FieldValue[] | FieldValues
type FieldValues = { readonly [name: string]: FieldValue }

function valuesOf(fields: FieldValues): Record<string, Value | undefined> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, toValue(value)]))
}

function toValue(value: FieldValue): Value | undefined {
  if (typeof value !== "object") return value
  if (isList(value)) return value.flatMap((one) => toValue(one) ?? [])
  return members(valuesOf(value))
}

function isList(value: readonly FieldValue[] | FieldValues): value is readonly FieldValue[] {
  return Array.isArray(value)
}
