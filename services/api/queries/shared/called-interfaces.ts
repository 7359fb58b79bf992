import { TransactionType } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { RecordKind } from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { Interfaces } from "../../../../signer/core/contract-interface/interfaces.ts"
import { readEthereumTransaction } from "../../../../signer/core/transaction/ethereum/transaction.ts"
import { TransactionFault } from "../../../../signer/core/transaction/fault.ts"
import { readSolanaTransaction } from "../../../../signer/core/transaction/solana/transaction.ts"
import { readUnsigned } from "../../../../signer/core/transaction/unsigned.ts"
import { interfacesOf } from "../../../policy-advice/interfaces.ts"
import { interfaceText } from "../../resources/smart-contract-interface.ts"
import type { Database } from "../../../database/database.ts"
import { getRecord } from "../../store/records.ts"
import type { StoredOrganization } from "../../store/stored-organization.ts"

/**
 * The interfaces of the contracts that an activity's transaction calls, from the database. For advice only: the signer reads
 * its own ledger. Empty for an activity without transaction, or with one that cannot be read.
 */
export async function calledInterfaces(
  parameters: { readonly [name: string]: unknown },
  { id, document }: StoredOrganization,
  sql: Database,
): Promise<Interfaces> {
  const called = calledAddresses(parameters)
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

function calledAddresses({ type, unsignedTransaction }: { readonly [name: string]: unknown }): Set<string> {
  try {
    if (type === TransactionType.ETHEREUM)
      return new Set([readEthereumTransaction(readUnsigned(String(unsignedTransaction))).to])
    if (type !== TransactionType.SOLANA) return new Set()
    const { accountKeys, instructions } = readSolanaTransaction(readUnsigned(String(unsignedTransaction)))
    return new Set(instructions.map(({ program }) => accountKeys[program] ?? ""))
  } catch (fault) {
    if (fault instanceof TransactionFault) return new Set()
    throw fault
  }
}
