import { fromBinary } from "@bufbuild/protobuf"
import {
  PrivateKeyRecordSchema,
  type Record,
  RecordKind,
  WalletRecordSchema,
} from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { refuse } from "../../core/refusal.ts"
import { deleteOrganization, requireSubOrganization } from "../organization/lifecycle.ts"
import type { LongActivity } from "./activity.ts"

/** Deletes the sub-organization that the request is sent to, with all its keys. */
export const deleteSubOrganization: LongActivity<"deleteSubOrganization"> = {
  *run({ deleteWithoutExport }, { organization, changes, archived, nowMs }) {
    requireSubOrganization(organization, "delete_sub_organization")
    // First, because it limits how many records there are to look through.
    const checksExports = deleteWithoutExport !== true
    yield* changes.removeEverything(nowMs, checksExports)
    if (checksExports) {
      const secrets = yield* archived([RecordKind.WALLET, RecordKind.PRIVATE_KEY])
      for (const record of secrets) requireExported(record)
    }
    deleteOrganization(organization)
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
    "set deleteWithoutExport to delete it anyway"
  throw refuse("KEYS_NOT_EXPORTED", sentence, { field: "parameters.deleteWithoutExport" })
}
