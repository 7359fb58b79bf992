import { refuse } from "../../../core/refusal.ts"
import { originsOf, requireStampOf, type Stamp, unknownCredential } from "../../../core/stamp/index.ts"
import type { Organization } from "../../../core/organization/organization.ts"
import { type CredentialOwner, findOwner } from "../state/credential-owner.ts"
import type { Sessions } from "../state/sessions.ts"
import type { Request } from "../state/request.ts"

/**
 * The credential that stamped the body, with its user. `openParent` opens the organization's parent: for the
 * origins of passkeys, which the parent sets, and to say what is wrong.
 *
 * @throws CREDENTIAL_UNKNOWN, PASSKEY_UNKNOWN, ORGANIZATION_MISMATCH, STAMP_SCHEME_MISMATCH, CREDENTIAL_EXPIRED,
 *   STAMP_MALFORMED, STAMP_CEREMONY_WRONG, STAMP_ORIGIN_WRONG, STAMP_INVALID
 */
type Place = { organization: Organization; sessions: Sessions }

export function authenticate(
  { stamp, body }: Request,
  place: Place,
  nowMs: number,
  openParent: (parentId: string) => Organization,
): CredentialOwner {
  const holder = findOwner(place.organization, stamp.credential, place.sessions)
  if (holder === undefined) throw noHolder(stamp, place, openParent)
  const origins = () => originsFor(place.organization, openParent)
  requireStampOf(holder, stamp, body, { nowMs, origins })
  return holder
}

/** Origins that passkeys of the organization must come from: its own setting, or that of its parent. */
export function originsFor(
  { document }: Organization,
  openParent: (parentId: string) => Organization,
): readonly string[] | undefined {
  return originsOf(document.parentId === "" ? document : openParent(document.parentId).document)
}

/** A parent reads its sub-organizations; what it asks them to do is refused by a name of its own. */
function noHolder(
  stamp: Stamp,
  { organization: { id, document }, sessions }: Place,
  openParent: (parentId: string) => Organization,
) {
  const parent = document.parentId === "" ? undefined : openParent(document.parentId)
  if (parent !== undefined && findOwner(parent, stamp.credential, sessions) !== undefined) {
    return refuse(
      "ORGANIZATION_MISMATCH",
      `organization mismatch: request is targeting organization ("${id}"), but voters are in organization ` +
        `("${parent.id}")`,
      { field: "organizationId" },
    )
  }
  return unknownCredential(stamp, id)
}
