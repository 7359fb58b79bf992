import { fromBinary } from "@bufbuild/protobuf"
import {
  RecordKind,
  WalletAccountRecordSchema,
  WalletRecordSchema,
} from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { Activity, ActivityContext } from "./activity.ts"
import { requireExported } from "./shared/import-export.ts"

const FIELD = "parameters.walletAccountIds"

/** Deletes wallet accounts. An account created again has the same address and another id. */
export const deleteWalletAccounts: Activity<"deleteWalletAccounts"> = {
  run({ walletAccountIds, deleteWithoutExport }, context) {
    const { changes } = context
    const accounts = context
      .records(RecordKind.WALLET_ACCOUNT, walletAccountIds, FIELD)
      .map(({ id, payload }) => ({ id, ...fromBinary(WalletAccountRecordSchema, payload) }))
    if (deleteWithoutExport !== true)
      requireExported("wallet account", withExported(accounts, context), FIELD)
    const addresses = new Map(accounts.map(({ id, address }) => [id, address]))
    for (const [id, address] of addresses) {
      changes.releaseAddress(address, id)
      changes.deleteRecord(RecordKind.WALLET_ACCOUNT, id)
    }
    return { walletAccountIds: [...addresses.keys()] }
  },
}

/** An account is exported when its own key was, or its wallet's words, which restore all accounts. */
function withExported(accounts: readonly { id: string; walletId: string }[], context: ActivityContext) {
  const ownKeys = accounts.map(({ id, walletId }) => ({
    id,
    walletId,
    exported: context.changes.wasExported({ walletId, accountId: id }),
  }))
  const walletIds = ownKeys.filter(({ exported }) => !exported).map(({ walletId }) => walletId)
  const wallets = context.records(RecordKind.WALLET, walletIds, FIELD)
  const exportedWallets = new Set(
    wallets.filter(({ payload }) => fromBinary(WalletRecordSchema, payload).exported).map(({ id }) => id),
  )
  return ownKeys.map(({ id, walletId, exported }) => ({
    id,
    exported: exported || exportedWallets.has(walletId),
  }))
}
