import { type Stamp, type StampParts, stampParts } from "../../../signer/core/stamp/read-stamp.ts"
import { type Caller, type CallerStores, targetOrganization } from "../authentication/authenticate.ts"
import { callerIn } from "../authentication/submit-caller.ts"
import type { VoteEvidence } from "./activity-rows.ts"
import type { SubmitRequest } from "./request.ts"

/** The request as it is stored with its vote. The signer names the organization: a login may have named the parent. */
export async function evidenceIn(
  organizationId: string,
  { submission, stamp, caller }: SubmitRequest,
  stores: CallerStores,
): Promise<VoteEvidence> {
  const isCallers = organizationId === "" || (caller && targetOrganization(caller).id === organizationId)
  const known = isCallers ? caller : await callerIn(organizationId, stamp, stores)
  return {
    ...submission,
    organizationId: organizationId || (known ? targetOrganization(known).id : submission.organizationId),
    stamp: shownStamp(stamp, known?.owner),
  }
}

/** The request's stamp as its vote shows it. */
export function shownStamp(stamp: Stamp, owner: Caller["owner"] | undefined): StampParts {
  return owner && "authenticator" in owner
    ? stampParts(stamp, owner.authenticator.publicKey)
    : stampParts(stamp)
}
