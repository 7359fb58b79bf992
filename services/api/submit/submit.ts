import { Authority } from "../../../proto/gen/countersign/api/v1/options_pb.ts"
import { RefusalCode } from "../../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import type { Refused } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import {
  readStampHeaders,
  requireStamp,
  type Stamp,
  type StampParts,
  stampParts,
  unknownCredential,
} from "../../../signer/core/stamp/index.ts"
import type { RequestState } from "../../common/context.ts"
import { withExpressionAdvice } from "../../policy-advice/index.ts"
import {
  type Admit,
  organizationMismatch,
  requireOwnStamp,
  type StampValues,
  requireLiving,
  unknownOrganization,
} from "../authentication/authenticate.ts"
import { refusedError, storedError } from "../errors.ts"
import type { CredentialStore } from "../authentication/credential-store.ts"
import type { CredentialOwner, StoredOrganization } from "../store/stored-organization.ts"
import type { OrganizationStore } from "../authentication/organization-store.ts"
import type { Signer } from "../signer/signer.ts"
import type { ActivityRow } from "../store/activities.ts"
import type { Database } from "../store/database.ts"
import { type Evidence, isDenied } from "./activity-rows.ts"
import { asKnownHere, findEarlier, findRefused, type Identified } from "./earlier.ts"
import type { Submission } from "./envelope.ts"
import { findFamilyLogin } from "../authentication/family-login.ts"
import type { OrderDispatcher } from "./order-dispatcher.ts"
import { requireLive } from "./liveness.ts"
import type { OutcomeStore } from "./outcome-store.ts"

export type SubmitDeps = {
  sql: Database
  organizations: OrganizationStore
  credentials: CredentialStore
  dispatcher: OrderDispatcher
  outcomes: OutcomeStore
  signer: Pick<Signer, "acknowledge">
  now: () => number
}

/** An activity and who asked, for the reply. */
export type Submitted = { row: ActivityRow; organization: StoredOrganization; userId: string }

/** What stands beside the body. */
export type Arrived = { stamps: StampValues; admit: Admit }

/**
 * A caller as far as he is known: at a birth there is neither organization nor user yet, and where a login names a
 * parent and several sub-organizations have the credential, the signer picks.
 */
type Caller = { organization: StoredOrganization; owner: CredentialOwner } | undefined

/**
 * Life of an activity on this side of the boundary: early authentication, idempotency,
 * decision by the signer, record. `state` collects what the log will say.
 */
export async function submit(
  submission: Submission,
  { stamps, admit }: Arrived,
  state: RequestState,
  deps: SubmitDeps,
): Promise<Submitted> {
  state.organizationId = submission.organizationId
  const stamp = readStampHeaders(stamps)
  const nowMs = deps.now()
  const caller = await identify(submission, stamp, nowMs, deps)
  if (caller !== undefined) await admit(caller.organization, stamp.credential)
  requireLive(submission.timestampMs, nowMs)
  const request = caller && identified(submission, caller, nowMs)
  const earlier = request && (await findEarlier(deps.sql, request))
  // The signer is not asked, so this tier's word must be as fresh as the database.
  if (caller && earlier) await requireStillOwner(stamp, caller.organization.id, deps)
  const row = earlier ?? (await execute({ submission, stamp, stamps, caller, request }, deps))
  state.activityId = row.id
  // His own: a denial of another user is no earlier row, and gives way to what ran.
  if (isDenied(row)) throw storedError(row.failure)
  const organization = caller?.organization ?? (await deps.organizations.get(row.organizationId))
  if (organization === undefined) throw unknownOrganization(row.organizationId)
  return { row, organization: newest(organization, deps), userId: request?.userId ?? row.userId }
}

/**
 * @throws Refusal ORGANIZATION_UNKNOWN, CREDENTIAL_UNKNOWN, PASSKEY_UNKNOWN, ORGANIZATION_MISMATCH, and what
 *   requireHolder throws
 */
async function identify(
  { activity, organizationId, body }: Submission,
  stamp: Stamp,
  nowMs: number,
  { sql, organizations, credentials }: SubmitDeps,
): Promise<Caller> {
  const known = organizations.peek(organizationId) ?? (await organizations.get(organizationId))
  if (activity.authority === Authority.SETUP_CODE && known === undefined) {
    if (stamp.kind === "passkey") throw unknownCredential(stamp, organizationId)
    requireStamp(stamp, body)
    return undefined
  }
  if (known === undefined) throw unknownOrganization(organizationId)
  requireLiving(known)
  const inMemory = credentials.peek(known, stamp.credential)
  const inFamily =
    inMemory === undefined && activity.authority === Authority.LOGIN && known.document.parentId === ""
      ? await findFamilyLogin(known, stamp, { sql, organizations, credentials })
      : "nobody"
  if (inFamily === "several") return undefined
  const found = inMemory
    ? { organization: known, owner: inMemory }
    : ((await lookAgain(known, stamp, { organizations, credentials })) ??
      (inFamily === "nobody" ? undefined : inFamily.sole))
  if (found === undefined) {
    await refuseParent(stamp, body, nowMs, known, { organizations, credentials })
    throw unknownCredential(stamp, known.id)
  }
  requireOwnStamp(stamp, body, found.owner, nowMs)
  return found
}

function identified(submission: Submission, caller: NonNullable<Caller>, nowMs: number): Identified {
  return { submission, organizationId: caller.organization.id, userId: caller.owner.user.userId, nowMs }
}

/** A parent's user gets to know why; a stranger does not learn who the parent is. */
async function refuseParent(
  stamp: Stamp,
  body: Uint8Array,
  nowMs: number,
  { id, document: { parentId } }: StoredOrganization,
  { organizations, credentials }: Stores,
): Promise<void> {
  const parent = parentId === "" ? undefined : await organizations.refresh(parentId)
  const owner = parent && (await credentials.find(parent, stamp.credential))
  if (owner === undefined) return
  requireOwnStamp(stamp, body, owner, nowMs)
  throw organizationMismatch(id, parentId)
}

/** @throws Refusal CREDENTIAL_UNKNOWN */
async function requireStillOwner(stamp: Stamp, id: string, looks: Stores): Promise<void> {
  const current = await looks.organizations.refresh(id)
  const owner = current && (await looks.credentials.find(current, stamp.credential))
  if (owner === undefined) throw unknownCredential(stamp, id)
}

type Stores = Pick<SubmitDeps, "organizations" | "credentials">

/**
 * The key is neither in the document at hand nor in a session at hand: database and signer may know more of either,
 * looked at in the order of what it costs.
 */
async function lookAgain(
  known: StoredOrganization,
  { credential }: Stamp,
  { organizations, credentials }: Stores,
) {
  const looks = [
    async () => ({ organization: known, owner: await credentials.find(known, credential) }),
    async () => {
      const organization = await organizations.refresh(known.id)
      return { organization, owner: organization && credentials.peek(organization, credential) }
    },
    async () => {
      const organization = await organizations.catchUp(known.id)
      return { organization, owner: organization && (await credentials.catchUp(organization, credential)) }
    },
  ]
  for (const look of looks) {
    const { organization, owner } = await look()
    if (organization !== undefined) requireLiving(organization)
    if (organization !== undefined && owner !== undefined) return { organization, owner }
  }
  return undefined
}

type Order = {
  submission: Submission
  stamp: Stamp
  stamps: StampValues
  caller: Caller
  request: Identified | undefined
}

async function execute(order: Order, deps: SubmitDeps): Promise<ActivityRow> {
  const { submission, stamp, stamps } = order
  const { xStamp, xStampWebauthn } = stamps
  const { body, organizationId } = submission
  const decided = await deps.dispatcher.dispatch({ body, organizationId, xStamp, xStampWebauthn })
  if ("refused" in decided) return refused(decided.refused, order, deps)
  const { outcome } = decided
  const row = await deps.outcomes.store(outcome, await evidenceIn(outcome.organizationId, order, deps))
  if (outcome.unacknowledged)
    deps.signer.acknowledge(organizationId, submission.fingerprint, stamp.credential)
  return row
}

/** A body that was there before is answered with its activity, a denial is kept, the rest leaves no trace. */
async function refused(refusal: Refused, order: Order, deps: SubmitDeps): Promise<ActivityRow> {
  const { request, submission, stamp } = order
  const { code, denial, organizationId } = refusal
  if (code === RefusalCode.CREDENTIAL_UNKNOWN)
    deps.credentials.forget(submission.organizationId, stamp.credential)
  const earlier = request && (await findRefused(deps.sql, request, code))
  if (earlier) return earlier
  const known = request ? await asKnownHere(deps.sql, request, refusal) : refusal
  const error = refusedError(withExpressionAdvice(known, submission.parameters))
  if (code === RefusalCode.PERMISSION_DENIED && denial) {
    const evidence = await evidenceIn(organizationId, order, deps)
    const kept = await deps.outcomes.storeDenial(refusal, denial, evidence, error.body())
    // What the same body was for somebody else is not his to see.
    if (isDenied(kept) && kept.userId === denial.userId) return kept
  }
  throw error
}

/** What the activity is shown with. Of which organization it is, is the signer's word: a login may name the parent. */
async function evidenceIn(
  organizationId: string,
  { submission, stamp, caller }: Order,
  deps: SubmitDeps,
): Promise<Evidence> {
  const isHis = organizationId === "" || caller?.organization.id === organizationId
  const known = isHis ? caller : await callerIn(organizationId, stamp, deps)
  return {
    ...submission,
    organizationId: organizationId || (known?.organization.id ?? submission.organizationId),
    stamp: evidenceOf(stamp, known),
  }
}

/** Who stamped, where only the signer could say for which organization. */
async function callerIn(
  organizationId: string,
  { credential }: Stamp,
  { organizations, credentials }: Stores,
): Promise<Caller> {
  const organization = await organizations.refresh(organizationId)
  const owner = organization && credentials.peek(organization, credential)
  return organization && owner && { organization, owner }
}

function evidenceOf(stamp: Stamp, caller: Caller): StampParts {
  return caller !== undefined && "authenticator" in caller.owner
    ? stampParts(stamp, caller.owner.authenticator.publicKey)
    : stampParts(stamp)
}

/** The activity may have changed its organization; voters are shown as they are now. */
function newest(organization: StoredOrganization, { organizations }: SubmitDeps): StoredOrganization {
  const known = organizations.peek(organization.id)
  return known !== undefined && known.version > organization.version ? known : organization
}
