import { Fault } from "../../../fault.ts"
import { transactionRefusal } from "../../../fault-refusals.ts"
import { PayloadEncoding } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { Interfaces } from "../../../contract-interface/interfaces.ts"
import type { HashBudget } from "../../../payload/typed-data/budget.ts"
import { readTypedData } from "../../../payload/typed-data/read.ts"
import { executedCalls } from "../../../contract-interface/account-calls.ts"
import { paymasterOf } from "../../../payload/user-operation/paymaster.ts"
import { userOperationOf } from "../../../payload/user-operation/typed-data.ts"
import {
  leadingAddress,
  readUserOperation,
  type UserOperation,
} from "../../../payload/user-operation/user-operation.ts"
import type { Payload } from "../../../policy/facts/declared.ts"
import { type MemberValue, type Members, members, UnreadableValue } from "../../../policy/expression.ts"
import { callMembers } from "./ethereum-transaction.ts"

/**
 * The root `eth.user_op`, of a user operation that is signed by itself or as typed data; undefined for other payloads.
 * @param budget values that the request may still have
 * @throws {Fault payload, transaction} a text that cannot be read, a call that does not fit the uploaded interface
 */
export function userOperationRoot(
  { encoding, text }: Payload,
  interfaces: Interfaces,
  budget: () => HashBudget,
): Members | undefined {
  if (encoding === PayloadEncoding.ERC4337_USER_OPERATION)
    return userOperationValue(readUserOperation(text), interfaces)
  if (encoding !== PayloadEncoding.EIP712) return undefined
  const operation = userOperationOf(readTypedData(text, budget()))
  return operation && userOperationValue(operation, interfaces)
}

function userOperationValue(operation: UserOperation, interfaces: Interfaces): Members {
  const { initCode, callData, paymasterAndData } = operation
  return members({
    entry_point: operation.entryPoint,
    entry_point_version: operation.version,
    chain_id: operation.chainId,
    sender: operation.sender,
    nonce: operation.nonce,
    factory: leadingAddress(initCode),
    init_code: initCode,
    call_data: callData,
    calls: callsValue(callData, interfaces),
    call_gas_limit: operation.callGasLimit,
    verification_gas_limit: operation.verificationGasLimit,
    pre_verification_gas: operation.preVerificationGas,
    max_fee_per_gas: operation.maxFeePerGas,
    max_priority_fee_per_gas: operation.maxPriorityFeePerGas,
    paymaster: leadingAddress(paymasterAndData),
    paymaster_data: paymasterOf(operation)?.data ?? "0x",
  })
}

/** Calls that cannot be read are no empty list: a policy that reads them refuses the request. */
function callsValue(callData: string, interfaces: Interfaces): MemberValue {
  const executed = executedCalls(callData)
  if ("unread" in executed) {
    const sentence = `a policy reads the calls of a user operation that cannot be read: ${executed.unread}; use a function of common accounts, or correct the policy`
    return new UnreadableValue(transactionRefusal(new Fault("transaction", sentence, 0)))
  }
  return executed.calls.map(({ to, value, data }) =>
    members({ to, value, data, ...callMembers(data, interfaces.abi(to)) }),
  )
}
