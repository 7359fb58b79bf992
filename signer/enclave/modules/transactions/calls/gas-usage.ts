import type { ReadGasUsageRequest } from "../../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { Organization } from "../../../../core/organization/organization.ts"
import { SuppliedDocuments, unknownOrganization } from "../../../execution/state/organizations.ts"
import { gasUseOf } from "../powers/sponsorship.ts"
import type { ServingState, SignerContext } from "../../../rpc/context.ts"
import { readId } from "../../../rpc/read-fields.ts"

/** The use of sponsorship of one organization, by the ledger. */
export async function readGasUsage({ organizationId }: ReadGasUsageRequest, context: SignerContext) {
  const state = context.state()
  const id = readId(organizationId, "organizationId")
  return state.turns.run(id, () => usageOf(id, state))
}

function usageOf(id: string, state: ServingState) {
  const organization = openFromArchive(id, state)
  const { parentId } = organization.document
  const root = parentId === "" ? organization : openFromArchive(parentId, state)
  const use = gasUseOf(organization.id, root, state.nowMs(), state)
  if (use === undefined) return { windowDurationMinutes: 0, windowLimitMicroUsd: 0n, usageMicroUsd: 0n }
  const { limit, used, windowMinutes } = use
  return { windowDurationMinutes: windowMinutes, windowLimitMicroUsd: limit, usageMicroUsd: used }
}

/** The organization from the cache, or from the ledger's own copy of its document, which is then cached. */
function openFromArchive(id: string, { organizations, ledger, keyring }: ServingState): Organization {
  const cached = organizations.findRelated(id, new SuppliedDocuments([], keyring.notary))
  if (cached !== undefined) return cached
  const document = ledger.row(id, "archive-document", "")
  if (document === undefined) throw unknownOrganization(id)
  return organizations.openRelated(id, new SuppliedDocuments([document], keyring.notary))
}
