import {
  type ListWalletAccountsRequest,
  ListWalletAccountsResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { RecordKind } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { jsonText } from "../resources/json-text.ts"
import { requireWallet, walletAccountResource, walletResource } from "../resources/wallet.ts"
import type { Database } from "../../database/database.ts"
import { getRecordsById, listRecords, type RecordRow } from "../store/records.ts"
import { readPagination, requirePage } from "./shared/pagination.ts"
import type { Query } from "./shared/query.ts"

/** Pages of the accounts of one wallet or of all, oldest first; on request each with its wallet. */
export const listWalletAccounts: Query<ListWalletAccountsRequest> = async (
  request,
  { sql, organization },
) => {
  const page = readPagination(request.paginationOptions)
  const parentId = request.walletId
  if (parentId !== undefined) await requireWallet(sql, organization.id, parentId)
  const filter = { organizationId: organization.id, kind: RecordKind.WALLET_ACCOUNT, parentId }
  const rows = requirePage(await listRecords(sql, filter, page))
  const wallets = request.includeWalletDetails ? await walletsOf(sql, organization.id, rows) : undefined
  return jsonText(ListWalletAccountsResponseSchema, {
    accounts: rows.map((row) => {
      const wallet = wallets?.get(row.parentId ?? "")
      return walletAccountResource(row, wallet && walletResource(wallet))
    }),
  })
}

async function walletsOf(
  sql: Database,
  organizationId: string,
  accounts: RecordRow[],
): Promise<Map<string, RecordRow>> {
  const ids = new Set(accounts.flatMap(({ parentId }) => parentId ?? []))
  const rows = await getRecordsById(sql, organizationId, [...ids])
  return new Map(rows.map((row) => [row.id, row]))
}
