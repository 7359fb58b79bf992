import { fromBinary } from "@bufbuild/protobuf"
import {
  PrivateKeyRecordSchema,
  type Record,
  RecordKind,
  WalletRecordSchema,
} from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { endOrganization } from "../organization/end.ts"
import { requireSubOrganization } from "../organization/family.ts"
import { refuse } from "../../core/refusal.ts"
import type { Activity } from "./activity.ts"

/** The end of the sub-organization that the request is sent to: its keys are gone with it. */
export const deleteSubOrganization: Activity<"deleteSubOrganizationIntent", "deleteSubOrganizationResult"> = {
  run({ deleteWithoutExport }, { organization, changes, archived, nowMs }) {
    requireSubOrganization(organization, "delete_sub_organization")
    // First, for it bounds how much there is to look through.
    changes.forgetEverything(nowMs)
    if (deleteWithoutExport !== true) {
      for (const record of archived([RecordKind.WALLET, RecordKind.PRIVATE_KEY])) requireExported(record)
    }
    endOrganization(organization)
    return { subOrganizationUuid: organization.id }
  },
}

/** @throws KEYS_NOT_EXPORTED */
function requireExported({ kind, id, payload }: Record): void {
  const isWallet = kind === RecordKind.WALLET
  const { exported, name } = fromBinary(isWallet ? WalletRecordSchema : PrivateKeyRecordSchema, payload)
  if (exported) return
  const sentence =
    `${isWallet ? "wallet" : "private key"} ${name} (${id}) has not been exported; ` +
    "set deleteWithoutExport where it may be lost"
  throw refuse("KEYS_NOT_EXPORTED", sentence, { field: "parameters.deleteWithoutExport" })
}
