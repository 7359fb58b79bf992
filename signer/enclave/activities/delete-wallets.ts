import { fromBinary } from "@bufbuild/protobuf"
import { RecordKind, WalletRecordSchema } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { refuse } from "../../core/refusal.ts"
import type { Activity } from "./activity.ts"

const FIELD = "parameters.walletIds"

/** Ends wallets for good, with their names, accounts and addresses. */
export const deleteWallets: Activity<"deleteWalletsIntent", "deleteWalletsResult"> = {
  run({ walletIds, deleteWithoutExport }, context) {
    const { changes } = context
    const wallets = context
      .records(RecordKind.WALLET, walletIds, FIELD)
      .map(({ id, payload }) => ({ id, ...fromBinary(WalletRecordSchema, payload) }))
    if (deleteWithoutExport !== true) requireExported(wallets)
    const doomed = new Map(wallets.map(({ id, name }) => [id, name]))
    for (const [id, name] of doomed) {
      changes.releaseName("wallet", name)
      changes.deleteRecord(RecordKind.WALLET, id)
    }
    changes.endAccounts(new Set(doomed.keys()), FIELD)
    return { walletIds: [...doomed.keys()] }
  },
}

/** @throws WALLET_NOT_EXPORTED */
function requireExported(wallets: readonly { id: string; exported: boolean }[]): void {
  const index = wallets.findIndex(({ exported }) => !exported)
  if (index === -1) return
  const sentence = `wallet has not been exported: ${wallets[index]?.id}; set deleteWithoutExport where it may be lost`
  throw refuse("WALLET_NOT_EXPORTED", sentence, { field: `${FIELD}[${index}]` })
}
