import type { ReadGasUsageRequest } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { gasUseOf } from "../execution/workspace/sponsorship.ts"
import { unknownOrganization } from "../execution/state/organizations.ts"
import type { Organization } from "../../core/organization/organization.ts"
import { openDocument } from "../organization/notarize.ts"
import type { SignerContext } from "./context.ts"
import { readId } from "./read-fields.ts"

/** The use of sponsorship of one organization, by the ledger. */
export async function readGasUsage({ organizationId }: ReadGasUsageRequest, context: SignerContext) {
  const { ledger, keyring, nowMs } = context.state()
  const open = (id: string): Organization => {
    const document = ledger.row(id, "archive-document", "")
    if (document === undefined) throw unknownOrganization(id)
    return openDocument(document, keyring.notary)
  }
  const organization = open(readId(organizationId, "organizationId"))
  const { parentId } = organization.document
  const root = parentId === "" ? organization : open(parentId)
  const use = gasUseOf(organization.id, root, nowMs(), { keyring, ledger })
  if (use === undefined) return { windowDurationMinutes: 0, windowLimitMicroUsd: 0n, usageMicroUsd: 0n }
  const { limit, used, windowMinutes } = use
  return { windowDurationMinutes: windowMinutes, windowLimitMicroUsd: limit, usageMicroUsd: used }
}
