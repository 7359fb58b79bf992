import { requireInvariant } from "../../core/invariant.ts"
import { fromBinary } from "@bufbuild/protobuf"
import { RecoveredOutcomeSchema } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { Organization } from "../../core/organization/organization.ts"
import { refuse } from "../../core/refusal.ts"
import { OUTCOMES } from "../ledger/ledger.ts"
import { Draft } from "../organization/draft.ts"
import { eraseName } from "../organization/lifecycle.ts"
import { notarizeDocument, openDocument } from "../organization/notarize.ts"
import type { ExecutionDeps } from "./state/deps.ts"
import { unknownOrganization } from "./state/organizations.ts"

/**
 * Removes the name from the archived document of a deleted organization, as its next version. The ledger's own
 * document says whether a stamped delete_sub_organization deleted it. An erased one stays as it is.
 *
 * @returns the version without a name
 * @throws ORGANIZATION_UNKNOWN, ORGANIZATION_NOT_DELETED, OUTCOME_UNACKNOWLEDGED, LEDGER_OLDER, LEDGER_FULL
 */
export async function eraseOrganization(organizationId: string, deps: ExecutionDeps): Promise<bigint> {
  const { ledger, keyring, rollback, limits, nowMs } = deps
  requireErasable(organizationId, deps)
  // An outcome whose removal is not written yet would come back if the disk were full, after the name was removed.
  await ledger.settleRemovals()
  const { head, organization } = requireErasable(organizationId, deps)
  if (organization.document.name === "") return head.version
  const draft = new Draft(organization, nowMs(), limits)
  eraseName(draft)
  const document = draft.nextVersion(rollback.latest(head.version))
  requireInvariant(document !== undefined, "an erased organization has a next version")
  // With the digest of the version before, anybody could verify a guessed name.
  document.previousDigest = new Uint8Array(0)
  const { notarized, digest } = notarizeDocument(document, keyring.notary)
  await ledger.commit([
    {
      organizationId,
      expect: head,
      head: { version: document.version, digest },
      put: [{ kind: "archive-document", key: "", value: notarized }],
      remove: [],
      notesSequence: true,
    },
  ])
  deps.organizations.remember(new Organization(document, digest, notarized.length))
  return document.version
}

/** The organization if it may be erased now. @throws ORGANIZATION_UNKNOWN, ORGANIZATION_NOT_DELETED, OUTCOME_UNACKNOWLEDGED, LEDGER_OLDER */
function requireErasable(organizationId: string, deps: ExecutionDeps) {
  const { ledger, keyring, rollback } = deps
  rollback.requireNone()
  const head = ledger.head(organizationId)
  if (head === undefined) throw unknownOrganization(organizationId)
  const archived = ledger.row(organizationId, "archive-document", "")
  const organization = archived && openDocument(archived, keyring.notary)
  if (organization === undefined || organization.document.deletedAtMs === 0n) throw notDeleted(organizationId)
  // Both are rows of the ledger, which one transaction wrote (steps/commit.ts).
  requireInvariant(
    Buffer.compare(organization.digest, head.digest) === 0,
    "the archive has the current document",
  )
  requireAcknowledged(organization, deps)
  return { head, organization }
}

/** An outcome that is recovered later would store data of the organization again. @throws OUTCOME_UNACKNOWLEDGED */
function requireAcknowledged({ id, document: { parentId } }: Organization, { ledger }: ExecutionDeps): void {
  const isAbout = ({ key, value }: { key: string; value: Uint8Array }) =>
    key.startsWith(`${id}/`) ||
    (key.startsWith(`${parentId}/`) &&
      fromBinary(RecoveredOutcomeSchema, value).outcome?.createdOrganizations.some(
        ({ organizationId }) => organizationId === id,
      ) === true)
  if (!ledger.rows(OUTCOMES, "outcome").some(isAbout)) return
  const sentence = `an outcome of organization ${id} is not stored by the API tier yet; start the API, wait until it is ready, and erase then`
  throw refuse("OUTCOME_UNACKNOWLEDGED", sentence, { field: "organizationId" })
}

function notDeleted(organizationId: string) {
  const sentence =
    `organization ${organizationId} was not deleted by its users; erase only organizations that a stamped ` +
    "delete_sub_organization deleted"
  return refuse("ORGANIZATION_NOT_DELETED", sentence, { field: "organizationId" })
}
