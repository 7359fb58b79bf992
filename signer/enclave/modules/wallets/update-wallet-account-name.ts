import { fromBinary, toBinary } from "@bufbuild/protobuf"
import {
  RecordKind,
  WalletAccountRecordSchema,
} from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { Activity } from "../../activities/activity.ts"

/** Renames a wallet account. With the current name nothing changes. */
export const updateWalletAccountName: Activity<"updateWalletAccountName"> = {
  run({ walletAccountId, name }, { records, changes, nowMs }) {
    const stored = records.open(RecordKind.WALLET_ACCOUNT, walletAccountId, "parameters.walletAccountId")
    const account = fromBinary(WalletAccountRecordSchema, stored.payload)
    if (name !== account.name) {
      const renamed = { ...account, name, updatedAtMs: BigInt(nowMs) }
      changes.changeRecord(stored, toBinary(WalletAccountRecordSchema, renamed))
    }
    return { walletAccountId: stored.id }
  },
}
