import { fromBinary, toBinary } from "@bufbuild/protobuf"
import { RecordKind, WalletRecordSchema } from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { Activity } from "../../activities/activity.ts"

/** Renames a wallet. Without a name, or with the current one, nothing changes. */
export const updateWallet: Activity<"updateWallet"> = {
  run({ walletId, walletName }, context) {
    const { changes, nowMs } = context
    const stored = context.records.open(RecordKind.WALLET, walletId, "parameters.walletId")
    const wallet = fromBinary(WalletRecordSchema, stored.payload)
    if (walletName !== undefined && walletName !== wallet.name) {
      changes.takeName("wallet", walletName, "parameters.walletName")
      changes.releaseName("wallet", wallet.name)
      const renamed = { ...wallet, name: walletName, updatedAtMs: BigInt(nowMs) }
      changes.changeRecord(stored, toBinary(WalletRecordSchema, renamed))
    }
    return { walletId: stored.id }
  },
}
