import {
  type ListWalletsRequest,
  ListWalletsResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { RecordKind } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { jsonText } from "../resources/json-text.ts"
import { listAllRecords } from "../store/records.ts"
import type { Query } from "./shared/query.ts"
import { walletResource } from "../resources/wallet.ts"

/** All wallets, oldest first. */
export const listWallets: Query<ListWalletsRequest> = async (_request, { sql, organization }) => {
  const rows = await listAllRecords(sql, organization.id, RecordKind.WALLET)
  return jsonText(ListWalletsResponseSchema, { wallets: rows.map(walletResource) })
}
