import { fromBinary } from "@bufbuild/protobuf"
import {
  RecordKind,
  WalletAccountRecordSchema,
  WalletRecordSchema,
} from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { Steps } from "../../../core/turns/steps.ts"
import type { ActivityContext, LongActivity } from "../../activities/activity.ts"
import { requireExported } from "./import-export.ts"

const FIELD = "parameters.walletAccountIds"

/** Deletes wallet accounts. An account created again has the same address and another id. */
export const deleteWalletAccounts: LongActivity<"deleteWalletAccounts"> = {
  *run({ walletAccountIds, deleteWithoutExport }, context) {
    const { changes } = context
    const records = yield* context.records.openAll(RecordKind.WALLET_ACCOUNT, walletAccountIds, FIELD)
    const accounts = records.map(({ id, payload }) => ({
      id,
      ...fromBinary(WalletAccountRecordSchema, payload),
    }))
    if (deleteWithoutExport !== true)
      requireExported("wallet account", yield* withExported(accounts, context), FIELD)
    const addresses = new Map(accounts.map(({ id, address }) => [id, address]))
    for (const [id, address] of addresses) {
      yield* changes.prepare({ addresses: [address] })
      changes.releaseAddress(address, id)
      changes.deleteRecord(RecordKind.WALLET_ACCOUNT, id)
      yield
    }
    return { walletAccountIds: [...addresses.keys()] }
  },
}

type Account = { id: string; walletId: string }

/** An account is exported when its own key was, or its wallet's words, which restore all accounts. */
function* withExported(
  accounts: readonly Account[],
  context: ActivityContext,
): Steps<{ id: string; exported: boolean }[]> {
  const ownKeys: (Account & { exported: boolean })[] = []
  for (const { id, walletId } of accounts) {
    const account = { walletId, accountId: id }
    yield* context.changes.prepare({ accounts: [account] })
    ownKeys.push({ id, walletId, exported: context.changes.wasExported(account) })
    yield
  }
  const walletIds = ownKeys.filter(({ exported }) => !exported).map(({ walletId }) => walletId)
  const wallets = yield* context.records.openAll(RecordKind.WALLET, walletIds, FIELD)
  const exportedWallets = new Set(
    wallets.filter(({ payload }) => fromBinary(WalletRecordSchema, payload).exported).map(({ id }) => id),
  )
  return ownKeys.map(({ id, walletId, exported }) => ({
    id,
    exported: exported || exportedWallets.has(walletId),
  }))
}
