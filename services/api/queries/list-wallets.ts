import type { ListWalletsRequest } from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { WalletSchema } from "../../../proto/gen/countersign/api/v1/resources_pb.ts"
import { RecordKind } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { jsonText } from "../resources/json-text.ts"
import { walletResource } from "../resources/wallet.ts"
import type { RecordRow } from "../store/records.ts"
import { AnswerSize } from "./shared/answer-size.ts"
import type { Query } from "./shared/query.ts"
import { recordsText } from "./shared/records-text.ts"

/** All wallets, oldest first. */
export const listWallets: Query<ListWalletsRequest> = async (_request, context) => {
  const size = new AnswerSize("get_wallet with the id of one wallet")
  return `{"wallets":[${await recordsText(RecordKind.WALLET, walletText, context, size)}]}`
}

function walletText(row: RecordRow): string {
  return jsonText(WalletSchema, walletResource(row))
}
