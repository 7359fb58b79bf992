import type { ListWalletsRequest } from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { WalletSchema } from "../../../proto/gen/countersign/api/v1/resources_pb.ts"
import { RecordKind } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { jsonText } from "../resources/json-text.ts"
import { listAllRecords } from "../store/records.ts"
import type { Query } from "./shared/query.ts"
import { textInSlices } from "./shared/text-in-slices.ts"
import { walletResource } from "../resources/wallet.ts"

/** All wallets, oldest first. */
export const listWallets: Query<ListWalletsRequest> = async (_request, context) => {
  const rows = await listAllRecords(context.sql, context.organization.id, RecordKind.WALLET)
  const text = await textInSlices(rows, (row) => jsonText(WalletSchema, walletResource(row)), context)
  return `{"wallets":[${text}]}`
}
