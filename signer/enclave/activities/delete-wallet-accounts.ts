import { fromBinary } from "@bufbuild/protobuf"
import {
  RecordKind,
  WalletAccountRecordSchema,
  WalletRecordSchema,
} from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { refuse } from "../../core/refusal.ts"
import type { Activity, ActivityContext } from "./activity.ts"

const FIELD = "parameters.walletAccountIds"

/**
 * Takes accounts from their wallets. Their addresses are free again: made a second time, an account has the same
 * address and another id.
 */
export const deleteWalletAccounts: Activity<"deleteWalletAccountsIntent", "deleteWalletAccountsResult"> = {
  run({ walletAccountIds, deleteWithoutExport }, context) {
    const { changes } = context
    const accounts = context
      .records(RecordKind.WALLET_ACCOUNT, walletAccountIds, FIELD)
      .map(({ id, payload }) => ({ id, ...fromBinary(WalletAccountRecordSchema, payload) }))
    if (deleteWithoutExport !== true) requireExported(accounts, context)
    const addresses = new Map(accounts.map(({ id, address }) => [id, address]))
    for (const [id, address] of addresses) {
      changes.releaseAddress(address, id)
      changes.deleteRecord(RecordKind.WALLET_ACCOUNT, id)
    }
    return { walletAccountIds: [...addresses.keys()] }
  },
}

/**
 * The account's own key went outside, or its wallet's words, which bring all its accounts back.
 *
 * @throws WALLET_ACCOUNT_NOT_EXPORTED
 */
function requireExported(
  accounts: readonly { id: string; walletId: string }[],
  context: ActivityContext,
): void {
  const isInside = ({ id, walletId }: { id: string; walletId: string }) =>
    !context.changes.wasExported({ walletId, accountId: id })
  const walletIds = accounts.filter(isInside).map(({ walletId }) => walletId)
  const wallets = context.records(RecordKind.WALLET, walletIds, FIELD)
  const exported = new Set(
    wallets.filter(({ payload }) => fromBinary(WalletRecordSchema, payload).exported).map(({ id }) => id),
  )
  const index = accounts.findIndex((account) => isInside(account) && !exported.has(account.walletId))
  if (index === -1) return
  const sentence = `wallet account has not been exported: ${accounts[index]?.id}; set deleteWithoutExport where it may be lost`
  throw refuse("WALLET_ACCOUNT_NOT_EXPORTED", sentence, { field: `${FIELD}[${index}]` })
}
