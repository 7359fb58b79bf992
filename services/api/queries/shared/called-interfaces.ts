import { isFault } from "../../../../signer/core/fault.ts"
import { base58 } from "@scure/base"
import type { ActivityEntry } from "../../../../proto/catalog.ts"
import { TransactionType } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { RecordKind } from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { Interfaces } from "../../../../signer/core/contract-interface/interfaces.ts"
import { unsignedTransactionOf } from "../../../../signer/core/policy/facts/declared.ts"
import type { SendItem } from "../../../../signer/core/policy/facts/send.ts"
import { Refusal } from "../../../../signer/core/refusal.ts"
import { readEthereumTransaction } from "../../../../signer/core/transaction/ethereum/transaction.ts"
import { readSolanaTransaction } from "../../../../signer/core/transaction/solana/transaction.ts"
import { readUnsigned } from "../../../../signer/core/transaction/unsigned.ts"
import { interfacesOf } from "../../../policy-advice/interfaces.ts"
import { simulatedSend } from "../../../policy-advice/simulated-send.ts"
import { interfaceText } from "../../resources/smart-contract-interface.ts"
import type { Database } from "../../../database/database.ts"
import { getRecord } from "../../store/records.ts"
import type { StoredOrganization } from "../../store/stored-organization.ts"

type Declared = Pick<ActivityEntry, "facts">
type Parameters = { readonly [name: string]: unknown }

/**
 * The interfaces of the contracts that an activity's transaction calls, from the database. For advice only: the signer reads
 * its own ledger. Empty for an activity without transaction, or with one that cannot be read.
 */
export async function calledInterfaces(
  activity: Declared,
  parameters: Parameters,
  { id, document }: StoredOrganization,
  sql: Database,
): Promise<Interfaces> {
  const called = calledAddresses(activity, parameters)
  const references = document.interfaces.filter(({ address }) => called.has(address))
  const rows = await Promise.all(
    references.map(({ interfaceId }) => getRecord(sql, id, RecordKind.SMART_CONTRACT_INTERFACE, interfaceId)),
  )
  const texts = references.map(({ type, address }, index) => {
    const row = rows[index]
    return row === undefined ? [] : [{ type, address, text: interfaceText(row) }]
  })
  return interfacesOf(texts.flat())
}

function calledAddresses(activity: Declared, parameters: Parameters): Set<string> {
  try {
    return new Set(transactionsOf(activity, parameters).flatMap(callees))
  } catch (fault) {
    if (isFault(fault, "transaction") || fault instanceof Refusal) return new Set()
    throw fault
  }
}

function transactionsOf(activity: Declared, parameters: Parameters): readonly SendItem[] {
  const unsigned = unsignedTransactionOf(activity, parameters)
  if (unsigned?.type === TransactionType.ETHEREUM)
    return [{ ethereum: readEthereumTransaction(readUnsigned(unsigned.text)) }]
  if (unsigned?.type === TransactionType.SOLANA)
    return [{ solana: readSolanaTransaction(readUnsigned(unsigned.text)) }]
  const values = { ...ANY_VALUES, caip2: String(parameters["caip2"]) }
  return simulatedSend(activity, parameters, values, 0)?.() ?? []
}

/** Values of a chain that change none of the contracts that a send calls. */
const ANY_VALUES = {
  nonce: 0n,
  gasLimit: 0n,
  maxFeePerGas: 0n,
  maxPriorityFeePerGas: 0n,
  gasStationNonce: "0",
  isDelegated: true,
  paymasterNonce: 0n,
  recentBlockhash: base58.encode(new Uint8Array(32).fill(1)),
  lastValidBlockHeight: 0n,
}

function callees({ ethereum, solana }: SendItem): string[] {
  const programs = solana?.instructions.map(({ program }) => solana.accountKeys[program] ?? "") ?? []
  return ethereum === undefined ? programs : [ethereum.to]
}
