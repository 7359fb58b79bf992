import {
  type GetWalletRequest,
  GetWalletResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { jsonText } from "../resources/json-text.ts"
import type { Query } from "./shared/query.ts"
import { requireWallet, walletResource } from "../resources/wallet.ts"

export const getWallet: Query<GetWalletRequest> = async ({ walletId }, { sql, organization }) =>
  jsonText(GetWalletResponseSchema, {
    wallet: walletResource(await requireWallet(sql, organization.id, walletId)),
  })
