import { fromBinary } from "@bufbuild/protobuf"
import {
  PrivateKeyRecordSchema,
  type Record,
  RecordKind,
  WalletRecordSchema,
} from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { refuse } from "../../../core/refusal.ts"
import { deleteOrganization, requireSubOrganization } from "../../organization/lifecycle.ts"
import type { LongActivity } from "../../activities/activity.ts"

/** Deletes the sub-organization that the request is sent to, with all its keys. */
export const deleteSubOrganization: LongActivity<"deleteSubOrganization"> = {
  *run({ deleteWithoutExport }, { organization, changes, records, nowMs }) {
    requireSubOrganization(organization, "delete_sub_organization")
    // First, because it limits how many records there are to look through.
    const checksExports = deleteWithoutExport !== true
    yield* changes.removeEverything(nowMs, checksExports)
    if (checksExports) {
      const held = yield* records.archived([RecordKind.WALLET, RecordKind.PRIVATE_KEY, RecordKind.SECRET])
      for (const record of held) requireExported(record)
    }
    deleteOrganization(organization)
    return { subOrganizationUuid: organization.id }
  },
}

/** Secrets have no mark of an export: each counts as not exported. @throws KEYS_NOT_EXPORTED, SECRETS_NOT_DELETED */
function requireExported({ kind, id, payload }: Record): void {
  const field = "parameters.deleteWithoutExport"
  if (kind === RecordKind.SECRET) {
    const sentence = `secret ${id} would be lost; delete it first, or set deleteWithoutExport`
    throw refuse("SECRETS_NOT_DELETED", sentence, { field })
  }
  const isWallet = kind === RecordKind.WALLET
  const { exported, name } = fromBinary(isWallet ? WalletRecordSchema : PrivateKeyRecordSchema, payload)
  if (exported) return
  const sentence =
    `${isWallet ? "wallet" : "private key"} ${name} (${id}) has not been exported; ` +
    "set deleteWithoutExport to delete it anyway"
  throw refuse("KEYS_NOT_EXPORTED", sentence, { field })
}
