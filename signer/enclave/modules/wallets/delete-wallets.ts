import { fromBinary } from "@bufbuild/protobuf"
import { RecordKind, WalletRecordSchema } from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { LongActivity } from "../../activities/activity.ts"
import { removeCountersOf } from "../../activities/counters.ts"
import { requireExported } from "./import-export.ts"

const FIELD = "parameters.walletIds"

/** Deletes wallets with their names, accounts and addresses. */
export const deleteWallets: LongActivity<"deleteWallets"> = {
  *run({ walletIds, deleteWithoutExport }, context) {
    const { changes } = context
    const records = yield* context.records.openAll(RecordKind.WALLET, walletIds, FIELD)
    const wallets = records.map(({ id, payload }) => ({ id, ...fromBinary(WalletRecordSchema, payload) }))
    if (deleteWithoutExport !== true) requireExported("wallet", wallets, FIELD)
    const names = new Map(wallets.map(({ id, name }) => [id, name]))
    for (const [id, name] of names) {
      yield* changes.prepare({ names: [{ kind: "wallet", name }] })
      changes.releaseName("wallet", name)
      changes.deleteRecord(RecordKind.WALLET, id)
      yield
    }
    yield* changes.removeAccounts(new Set(names.keys()), FIELD)
    const ids = [...names.keys()]
    removeCountersOf("wallet", ids, context)
    return { walletIds: ids }
  },
}
