// The callers and the states of the product activity × caller × state, with the allowed answers. The rules are written from the
// guides (docs/THREAT_MODEL.md, docs/policies.md "The decision procedure", docs/ERRORS.md) and from the contract's options.
import { getOption } from "@bufbuild/protobuf"
import type { ActivityEntry } from "../../../proto/catalog.ts"
import { Authority, AuthProxyUse, Consequence } from "../../../proto/gen/countersign/api/v1/options_pb.ts"
import {
  refusal as declaration,
  RefusalCodeSchema,
  RefusalGroup,
} from "../../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import { openedKey } from "../../harness/auth-proxy.ts"
import { documentOf } from "../../harness/document.ts"
import {
  fingerprintOf,
  newKey,
  credentialOf,
  type StampHeader,
  stampBy,
  type Stamper,
} from "../../harness/stamper.ts"
import { asRoot } from "../setup.ts"
import { bodyOf, type Actors, type PreparedRequest, type CrossSetup } from "./cross-setup.ts"

/** Rights of the caller: a root user, a user whom a policy allows the activity, or a user without either. */
type Role = "root" | "allowed" | "none"

export type Caller = {
  name: string
  /** Absent: the request has no stamp. */
  stamper?: Stamper
  /** Organization whose user the caller is; "": the caller is no user. */
  homeId: string
  userId: string
  role: Role
  /** Organization that the body names; absent: that of the request. */
  namedId?: string
  /** Codes that refuse this caller whatever the activity, because of their credential. */
  refused?: readonly string[]
  isSession?: boolean
}

export type State = {
  name: string
  /** Why the state does not exist for an activity; "": it exists. */
  whyNot: (entry: ActivityEntry) => string
  make?: (setup: CrossSetup, prepared: PreparedRequest) => Promise<PreparedRequest>
  /** Time of the body, relative to the time of the prepared request. */
  laterMs?: number
  /** Organization that bodies name. */
  namedId?: (actors: Actors) => string
  /** Codes that refuse every body in this state, whoever stamps it. */
  refused?: (entry: ActivityEntry, caller: Caller, isOwnBody: boolean) => readonly string[]
}

const { SETUP_CODE, VOTE, LOGIN, ROOT_QUORUM, OWN_CREDENTIAL } = Authority
const HOUR_MS = 3_600_000
const LEAD_MS = 300_000
const SECOND_MS = 1000

/** The callers of one activity's request. */
export function callersOf({ request, client }: PreparedRequest, actors: Actors): Caller[] {
  const { acme, other, subOrganization, alice, dana, mallory, bob, proxy } = actors
  const root = { homeId: acme.organizationId, userId: acme.rootUserId, role: "root" as const }
  const ofAcme = ({ userId, key }: { userId: string; key: Stamper }, role: Role) => ({
    stamper: key,
    homeId: acme.organizationId,
    userId,
    role,
  })
  const isRecovery = request.type === "RECOVER_USER"
  // Enabling the proxy again gives it another key.
  const proxyKey = openedKey(documentOf(client, acme.organizationId))
  const preparer = request.stamper === alice.key ? alice.userId : acme.rootUserId
  return [
    {
      name: "as prepared",
      stamper: request.stamper,
      homeId: request.organizationId,
      userId: preparer,
      role: "root",
    },
    { name: "own root", stamper: acme.root, ...root },
    { name: "user by policy", ...ofAcme(dana, "allowed") },
    { name: "user by other policies", ...ofAcme(mallory, "none") },
    { name: "user without policy", ...ofAcme(alice, "none") },
    { name: "stranger", stamper: newKey(), homeId: "", userId: "", role: "none" },
    {
      name: "root of another organization",
      stamper: other.root,
      homeId: other.organizationId,
      userId: other.rootUserId,
      role: "root",
    },
    { name: "root of the parent", stamper: acme.root, ...root, namedId: subOrganization.organizationId },
    {
      name: "root of a child",
      stamper: subOrganization.root,
      homeId: subOrganization.organizationId,
      userId: subOrganization.rootUserId,
      role: "root",
    },
    { name: "deleted user", ...ofAcme(bob, "none"), refused: ["CREDENTIAL_UNKNOWN"] },
    { name: "expired key", ...root, stamper: actors.expiredKey, refused: ["CREDENTIAL_EXPIRED"] },
    { name: "session", ...root, stamper: actors.session, isSession: true },
    { name: "expired session", ...root, stamper: actors.expiredSession, refused: ["CREDENTIAL_EXPIRED"] },
    { name: "ended session", ...root, stamper: actors.endedSession, refused: ["CREDENTIAL_UNKNOWN"] },
    { name: "session of a wide scope", ...root, stamper: actors.wideSession, isSession: true },
    {
      name: "session of a narrow scope",
      ...root,
      stamper: actors.narrowSession,
      isSession: true,
      // A request of the root quorum has no root that a scope can read (docs/policies.md "Session profiles").
      refused: ["SESSION_SCOPE_DENIED", "SESSION_SCOPE_UNDECIDED"],
    },
    // A read-only session has no key: its text is for the header X-Session of queries, which the signer does not have.
    { name: "read-only session", ...root, refused: ["STAMP_MISSING"] },
    { name: "attested", ...root, stamper: actors.attested },
    { name: "user of the auth proxy", ...ofAcme({ ...proxy, key: proxyKey ?? proxy.key }, "allowed") },
    {
      name: "recovery key",
      ...root,
      stamper: actors.recoveryKey,
      ...(isRecovery ? {} : { refused: ["RECOVERY_KEY_CONFINED"] }),
    },
  ]
}

const always = () => ""
export const rulesStay = ({ authority }: ActivityEntry) => {
  if (authority === VOTE)
    return "the vote needs a waiting activity, and that one waits for a quorum of two already"
  return authority === SETUP_CODE ? "the organization does not exist yet" : ""
}
const runsOnce = ({ consequence }: ActivityEntry) =>
  consequence === Consequence.SIGNS ? "signing again is harmless, and nothing remembers it" : ""

export const STATES: readonly State[] = [
  { name: "current", whyNot: always },
  { name: "over an hour old", whyNot: always, laterMs: -HOUR_MS, refused: () => ["REQUEST_STALE"] },
  {
    name: "over five minutes ahead",
    whyNot: always,
    laterMs: LEAD_MS + SECOND_MS,
    refused: () => ["REQUEST_FROM_FUTURE"],
  },
  {
    name: "run before",
    whyNot: runsOnce,
    make: (setup, prepared) => setup.change(prepared, (client) => runIt(client, prepared)),
    refused: (entry, caller, isOwnBody) => (isOwnBody ? ranBefore(entry, caller) : []),
  },
  {
    name: "root quorum of two",
    whyNot: rulesStay,
    make: (setup, prepared) =>
      setup.change(prepared, (client) => {
        const { acme, alice } = setup.actors
        const quorum = { threshold: 2, userIds: [acme.rootUserId, alice.userId] }
        return asRoot({ client, acme }).submit("UPDATE_ROOT_QUORUM", quorum)
      }),
  },
  {
    name: "denied by a policy",
    whyNot: rulesStay,
    make: (setup, prepared) =>
      setup.change(prepared, (client) => {
        const deny = { policyName: "cross deny", effect: "EFFECT_DENY", notes: "" }
        return asRoot({ client, acme: setup.actors.acme }).submit("CREATE_POLICY_V3", deny)
      }),
  },
  {
    name: "organization deleted",
    whyNot: always,
    namedId: ({ deletedSubOrganization }) => deletedSubOrganization.organizationId,
    // A deleted organization has no users, so the codes for unknown callers are allowed too.
    refused: () => [
      "ORGANIZATION_DELETED",
      "CREDENTIAL_UNKNOWN",
      "IDENTITY_UNKNOWN",
      "ORGANIZATION_MISMATCH",
    ],
  },
]

async function runIt(client: PreparedRequest["client"], prepared: PreparedRequest): Promise<void> {
  const { stamper } = prepared.request
  const body = bodyOf(prepared)
  const answer = await client.send(body, stamper)
  if (answer.is !== "outcome") throw new Error("it does not run")
  await client.acknowledge(answer.outcome.organizationId, fingerprintOf(body), credentialOf(stamper))
}

function ranBefore({ authority, type, kind }: ActivityEntry, caller: Caller): readonly string[] {
  const codes = ["ACTIVITY_REPLAYED"]
  if (authority === SETUP_CODE) codes.push("SETUP_CODE_SPENT", "CREDENTIAL_UNKNOWN")
  // The first vote ended the activity.
  if (authority === VOTE) codes.push("ACTIVITY_FINAL", "VOTE_REPEATED")
  if (type.endsWith("_DELETE_SUB_ORGANIZATION")) codes.push("ORGANIZATION_DELETED")
  // The first run removed the credential that stamps the repetition.
  const endsCredential = kind === "RECOVER_USER" || kind === "CREATE_READ_WRITE_SESSION" ? true : undefined
  if (endsCredential ?? (kind === "DISABLE_AUTH_PROXY" && caller.name === "user of the auth proxy"))
    codes.push("CREDENTIAL_UNKNOWN")
  return codes
}

/** Codes of the groups that the contract gives to faults found after the decision, in what the request asks for. */
const PAST_DECISION: readonly string[] = RefusalCodeSchema.values
  .filter(({ number }) => number !== 0)
  .filter((value) => {
    const { RESOURCE, POLICY, KEY, TRANSFER, FETCH } = RefusalGroup
    const groups: readonly RefusalGroup[] = [RESOURCE, POLICY, KEY, TRANSFER, FETCH]
    return groups.includes(getOption(value, declaration).group)
  })
  .map(({ localName }) => localName)

/** The stamp of a caller. */
export function stampOf({ stamper }: Caller, body: string): StampHeader {
  return stamper === undefined ? {} : stampBy(stamper, body)
}

/** The answers that the rules allow: the code of any fault that the request has; without a fault, the decision. */
export function allowedAnswers(
  prepared: PreparedRequest,
  actors: Actors,
  caller: Caller,
  state: State,
): readonly string[] {
  const { entry, request } = prepared
  const namedId = state.namedId?.(actors) ?? caller.namedId ?? request.organizationId
  const isOwnBody = namedId === request.organizationId
  const isHome = isLoginInChild(entry, caller, namedId, actors) || caller.homeId === namedId
  const isAssisting = entry.isOpenToParent && caller.homeId === parentOf(namedId, actors)
  const faults = [
    ...(caller.refused ?? []),
    ...(state.refused?.(entry, caller, isOwnBody) ?? []),
    ...faultsOfUse(prepared, caller, actors),
  ]
  if (entry.authority === SETUP_CODE) {
    if (caller.stamper === request.stamper && faults.length === 0) return ["done"]
    return [...faults, "SETUP_CODE_OF_ANOTHER_KEY", ...(isOwnBody ? [] : ["SETUP_CODE_INVALID"])]
  }
  if (!isHome && !isAssisting) {
    const unknown = caller.name === "attested" ? "IDENTITY_UNKNOWN" : "CREDENTIAL_UNKNOWN"
    faults.push(caller.homeId === parentOf(namedId, actors) ? "ORGANIZATION_MISMATCH" : unknown)
  }
  // Each organization remembers the bodies that it ran: the sub-organization has not run this one.
  if (isLoginInChild(entry, caller, namedId, actors) && state.name === "run before")
    return ["done", "ACTIVITY_REPLAYED"]
  if (faults.length > 0) return faults
  if (!isHome) return assisted(state)
  return decided(prepared, actors, caller, state)
}

const parentOf = (organizationId: string, { acme, other }: Actors) =>
  [acme, other].some((top) => top.organizationId === organizationId) ? undefined : acme.organizationId

/** A login may name the parent of its user's organization (docs/THREAT_MODEL.md A8-family). */
const isLoginInChild = (
  { authority }: ActivityEntry,
  { homeId }: Caller,
  namedId: string,
  { subOrganization, acme }: Actors,
) => authority === LOGIN && homeId === subOrganization.organizationId && namedId === acme.organizationId

/** Faults that no policy can allow: docs/THREAT_MODEL.md A5-attested, X1-user and the claims of recovery keys. */
function faultsOfUse({ entry, request }: PreparedRequest, caller: Caller, actors: Actors): string[] {
  const { authority, authProxyUse, kind } = entry
  const faults: string[] = []
  if (caller.stamper === actors.attested && authority !== LOGIN && authority !== VOTE)
    faults.push("ATTESTED_STAMP_NOT_ALLOWED")
  if (caller.userId === actors.proxy.userId && authProxyUse !== AuthProxyUse.OWN_ORGANIZATION)
    faults.push("AUTH_PROXY_USER_DENIED")
  const isRecoveryKey = caller.stamper === actors.recoveryKey || caller.stamper === request.stamper
  if (kind === "RECOVER_USER" && !isRecoveryKey) faults.push("RECOVERY_KEY_NEEDED")
  return faults
}

/** Answers to a user of the parent: the parent's policies decide without votes, then the login is verified. */
function assisted({ name }: State): readonly string[] {
  return name === "root quorum of two"
    ? ["PARENT_LOGIN_NOT_ALLOWED", "PERMISSION_DENIED"]
    : ["done", ...PAST_DECISION]
}

/** Steps 2 to 12 of "The decision procedure" in docs/policies.md. */
function decided(
  { entry, request }: PreparedRequest,
  actors: Actors,
  caller: Caller,
  state: State,
): readonly string[] {
  const { authority, action } = entry
  const isTwo = state.name === "root quorum of two"
  const isInChild = caller.homeId !== actors.acme.organizationId
  const isDenied = state.name === "denied by a policy" && !isInChild
  const isRoot = caller.role === "root" || (isTwo && caller.userId === actors.alice.userId)
  if (authority === VOTE) return vote(caller, actors)
  const { userId = caller.userId } = request.parameters as { userId?: string }
  // Step 2: only the user who asked for an import key may import to it.
  if (action === "IMPORT" && userId !== caller.userId) return ["PERMISSION_DENIED"]
  const isForeign = request.type === "IMPORT_SECRETS" && caller.userId !== actors.acme.rootUserId
  const done = isForeign ? ["IMPORT_TARGET_UNKNOWN"] : ["done"]
  // Steps 3 and 4.
  if (isRoot && (!isTwo || isInChild)) return done
  if (authority === ROOT_QUORUM) return [isRoot ? "waits" : "PERMISSION_DENIED"]
  // Steps 6 to 8.
  if (isDenied) return ["PERMISSION_DENIED"]
  if (caller.role === "allowed" || authority === LOGIN) return done
  // Steps 9, 10 and 12.
  if (isRoot) return ["waits"]
  if (authority === OWN_CREDENTIAL && userId === caller.userId) return ["done"]
  return ["PERMISSION_DENIED"]
}

/** Each user casts one vote, and no policy grants one. The root user has cast theirs; a policy lets mallory create the wallet alone. */
function vote({ userId }: Caller, { acme, alice, mallory }: Actors): readonly string[] {
  if (userId === acme.rootUserId) return ["VOTE_REPEATED"]
  return userId === alice.userId || userId === mallory.userId ? ["done"] : ["VOTE_NOT_COUNTED"]
}
