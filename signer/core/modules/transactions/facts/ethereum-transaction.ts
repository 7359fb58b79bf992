import { Fault, isFault } from "../../../fault.ts"
import { TransactionType } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { ethereumAddressOfKey } from "../../../address/ethereum-key.ts"
import type { Abi, AbiFunction } from "../../../contract-interface/abi.ts"
import { calledFunction } from "../../../contract-interface/called-function.ts"
import { isUnreadable } from "../../../contract-interface/fault.ts"
import type { Interfaces } from "../../../contract-interface/interfaces.ts"
import { type Argument, decodeCall } from "../../../contract-interface/decode-call.ts"
import {
  type EthereumTransaction,
  readEthereumTransaction,
} from "../../../transaction/ethereum/transaction.ts"
import { requireKeyOn } from "../../../transaction/refusal.ts"
import { readUnsigned } from "../../../transaction/unsigned.ts"
import { Caseless, type Members, members, type Value } from "../../../policy/expression.ts"
import type { UnsignedTransaction } from "../../../policy/facts/declared.ts"
import type { Holdings } from "../../../policy/facts/holdings.ts"
import type { SendItem } from "../../../policy/facts/send.ts"
import { namedValues, severalNamed, unreadableCall } from "./unreadable.ts"

/** Bytes of a function's selector, and its hexadecimal digits with 0x. */
const SELECTOR_DIGITS = 10

/**
 * The root `eth.tx` of a transaction to be signed, or of one call of a send; undefined for one of another chain.
 * @throws Fault transaction, TRANSACTION_KEY_UNFIT, and the refusals of `holdings` and `interfaces`
 */
export function ethereumTransactionRoot(
  { unsigned, sent, holdings }: Item,
  { interfaces }: { interfaces: Interfaces },
): Members | undefined {
  const transaction = sent === undefined ? transactionToSign(unsigned) : sent.ethereum
  if (transaction === undefined) return undefined
  const from = sent?.from ?? ethereumAddressOfKey(requireKeyOn("CURVE_SECP256K1", holdings().key, "Ethereum"))
  return ethereumTransactionValue(transaction, from, interfaces.abi(transaction.to))
}

type Item = { unsigned?: UnsignedTransaction; sent?: SendItem; holdings: () => Holdings }

function transactionToSign(unsigned: UnsignedTransaction | undefined): EthereumTransaction | undefined {
  if (unsigned?.type !== TransactionType.ETHEREUM) return undefined
  return readEthereumTransaction(readUnsigned(unsigned.text))
}

/**
 * @param from address of the signing key
 * @param abi the uploaded interface of the recipient; undefined if it has none
 * @throws Fault transaction for a call that does not fit that interface: without arguments, a DENY policy would not apply
 */
function ethereumTransactionValue(
  transaction: EthereumTransaction,
  from: string,
  abi: Abi | undefined,
): Members {
  const { to, data, value, gas, gasPrice, chainId, nonce, type } = transaction
  return members({
    from,
    to,
    data,
    value,
    gas,
    gas_price: gasPrice,
    chain_id: chainId,
    nonce,
    max_fee_per_gas: transaction.maxFeePerGas,
    max_priority_fee_per_gas: transaction.maxPriorityFeePerGas,
    max_fee_per_blob_gas: transaction.maxFeePerBlobGas,
    fee_currency: transaction.feeCurrency,
    type,
    ...callMembers(data, abi),
  })
}

/**
 * What a call says by the uploaded interface of its recipient. @param data hexadecimal with 0x
 * @throws Fault transaction for a call that does not fit that interface
 */
export function callMembers(data: string, abi: Abi | undefined) {
  const called = abi && calledFunction(abi, data)
  if (called === undefined)
    return { function_name: "", function_signature: "", contract_call_args: members({}) }
  const function_signature = data.length < SELECTOR_DIGITS ? "" : `0x${called.selector}`
  if (isUnreadable(called)) {
    const unreadable = unreadableCall(called.signature, called.fault.message)
    return { function_name: called.name ?? unreadable, function_signature, contract_call_args: unreadable }
  }
  try {
    const values = decodeCall(called, Buffer.from(data.slice(SELECTOR_DIGITS), "hex"))
    const named = called.inputs.map(
      ({ name }, index) => [name || String(index), toValue(values[index] ?? "")] as const,
    )
    return {
      function_name: called.name,
      function_signature,
      contract_call_args: namedValues([...named, ...othersNamed(called)], called.signature),
    }
  } catch (cause) {
    if (!isFault(cause, "call")) throw cause
    const sentence = `the call of ${called.signature} does not fit the interface of the contract: ${cause.message}`
    throw new Fault("transaction", sentence, cause.place, cause)
  }
}

function othersNamed({ otherNames, signature }: AbiFunction) {
  return Array.from(otherNames, (name) => [name, unreadableCall(signature, severalNamed(name))] as const)
}

function toValue(argument: Argument): Value {
  if (Array.isArray(argument)) return (argument as readonly Argument[]).map(toValue)
  if (typeof argument !== "object") return argument
  return "hex" in argument ? new Caseless(argument.hex) : []
}
