import { Authority } from "../../../../proto/gen/countersign/api/v1/options_pb.ts"
import type { Organization } from "../../../core/organization/organization.ts"
import { refuse } from "../../../core/refusal.ts"
import type { ExecutionDeps } from "../state/deps.ts"
import { findOwner } from "../state/credential-owner.ts"
import { identityOfStamp } from "../state/identities.ts"
import type { Request } from "../state/request.ts"
import type { SuppliedDocuments } from "../state/supplied-documents.ts"

/** The organization that a body names, and the one that it is for. */
export type Located = { named: Organization; organization: Organization }

/**
 * The organization that an order is about: the one that the body names. Only a login may name the parent instead;
 * then it is for the one sub-organization that the register gives for the stamp's credential. The API tier has no
 * say in it.
 *
 * @throws CREDENTIAL_CONFLICT, and what opening documents throws
 */
export function locate(request: Request, supplied: SuppliedDocuments, deps: ExecutionDeps): Located {
  const { organizations, sessions, register } = deps
  const named = organizations.openCurrent(request.organizationId, supplied)
  const itself = { named, organization: named }
  if (request.activity.authority !== Authority.LOGIN || named.document.parentId !== "") return itself
  if (findOwner(named, request.stamp.credential, sessions) !== undefined) return itself
  const found = register.find(named.id, identityOfStamp(request.stamp))
  if (found === "nobody") return itself
  if (found === "several") {
    throw refuse(
      "CREDENTIAL_CONFLICT",
      `more than one suborg associated with ${whatStamped(request)}: name it in organizationId`,
      {
        field: "organizationId",
      },
    )
  }
  return { named, organization: organizations.openRelated(found.organizationId, supplied) }
}

function whatStamped({ stamp }: Request): string {
  return stamp.kind === "passkey" ? "a credential ID" : "a public key"
}
