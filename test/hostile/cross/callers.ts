// The callers and the states of the first product, with the answers that they may get. The rules are written from the
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
import { bodyOf, type Cast, type Scene, type Stage } from "./stage.ts"

/** Rights by which the request of a caller is decided. */
type Role = "root" | "allowed" | "none"

export type Caller = {
  name: string
  /** Absent: the request has no stamp. */
  stamper?: Stamper
  /** Organization whose user the caller is; "": of none. */
  homeId: string
  userId: string
  role: Role
  /** Organization that the body names; absent: that of the request. */
  namedId?: string
  /** Codes by which this caller is refused, for whatever reason their credential has. */
  refused?: readonly string[]
  isSession?: boolean
}

export type State = {
  name: string
  /** The reason why an activity has no such state; "": it has. */
  whyNot: (entry: ActivityEntry) => string
  make?: (stage: Stage, scene: Scene) => Promise<Scene>
  /** Time of the body, from the state's own. */
  laterMs?: number
  /** Organization that bodies name. */
  namedId?: (cast: Cast) => string
  /** Codes by which a body is refused in this state, whoever stamps it. */
  refused?: (entry: ActivityEntry, caller: Caller, isOwnBody: boolean) => readonly string[]
}

const { SETUP_CODE, VOTE, LOGIN, ROOT_QUORUM, OWN_CREDENTIAL } = Authority
const HOUR_MS = 3_600_000
const LEAD_MS = 300_000
/** Of the request: a body's time may be refused before or after the stamp. */
const SECOND_MS = 1000

/** The callers of one activity's request. Each has one word of the list, or one more of the contract's. */
export function callersOf({ request, client }: Scene, cast: Cast): Caller[] {
  const { acme, other, kid, alice, dana, mallory, bob, proxy } = cast
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
    { name: "root of the parent", stamper: acme.root, ...root, namedId: kid.organizationId },
    {
      name: "root of a child",
      stamper: kid.root,
      homeId: kid.organizationId,
      userId: kid.rootUserId,
      role: "root",
    },
    { name: "deleted user", ...ofAcme(bob, "none"), refused: ["CREDENTIAL_UNKNOWN"] },
    { name: "expired key", ...root, stamper: cast.expiredKey, refused: ["CREDENTIAL_EXPIRED"] },
    { name: "session", ...root, stamper: cast.session, isSession: true },
    { name: "expired session", ...root, stamper: cast.expiredSession, refused: ["CREDENTIAL_EXPIRED"] },
    { name: "ended session", ...root, stamper: cast.endedSession, refused: ["CREDENTIAL_UNKNOWN"] },
    { name: "session of a wide scope", ...root, stamper: cast.wideSession, isSession: true },
    {
      name: "session of a narrow scope",
      ...root,
      stamper: cast.narrowSession,
      isSession: true,
      // A request of the root quorum has no root that a scope can read (docs/policies.md "Session profiles").
      refused: ["SESSION_SCOPE_DENIED", "SESSION_SCOPE_UNDECIDED"],
    },
    // A read-only session has no key: its text is for the header X-Session of queries, which the signer does not have.
    { name: "read-only session", ...root, refused: ["STAMP_MISSING"] },
    { name: "attested", ...root, stamper: cast.attested },
    { name: "user of the auth proxy", ...ofAcme({ ...proxy, key: proxyKey ?? proxy.key }, "allowed") },
    {
      name: "recovery key",
      ...root,
      stamper: cast.recoveryKey,
      ...(isRecovery ? {} : { refused: ["RECOVERY_KEY_CONFINED"] }),
    },
  ]
}

const always = () => ""
export const rulesStay = ({ authority }: ActivityEntry) => {
  if (authority === VOTE)
    return "the rules cannot change: the voted activity waits for a quorum of two already"
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
    make: (stage, scene) => stage.change(scene, (client) => runIt(client, scene)),
    refused: (entry, caller, isOwnBody) => (isOwnBody ? ranBefore(entry, caller) : []),
  },
  {
    name: "root quorum of two",
    whyNot: rulesStay,
    make: (stage, scene) =>
      stage.change(scene, (client) => {
        const { acme, alice } = stage.cast
        const quorum = { threshold: 2, userIds: [acme.rootUserId, alice.userId] }
        return asRoot({ client, acme }).submit("UPDATE_ROOT_QUORUM", quorum)
      }),
  },
  {
    name: "denied by a policy",
    whyNot: rulesStay,
    make: (stage, scene) =>
      stage.change(scene, (client) => {
        const deny = { policyName: "cross deny", effect: "EFFECT_DENY", notes: "" }
        return asRoot({ client, acme: stage.cast.acme }).submit("CREATE_POLICY_V3", deny)
      }),
  },
  {
    name: "organization deleted",
    whyNot: always,
    namedId: ({ gone }) => gone.organizationId,
    // It has no users, so who is somebody's user is not told either.
    refused: () => [
      "ORGANIZATION_DELETED",
      "CREDENTIAL_UNKNOWN",
      "IDENTITY_UNKNOWN",
      "ORGANIZATION_MISMATCH",
    ],
  },
]

async function runIt(client: Scene["client"], scene: Scene): Promise<void> {
  const { stamper } = scene.request
  const body = bodyOf(scene)
  const answer = await client.send(body, stamper)
  if (answer.is !== "outcome") throw new Error("it does not run")
  await client.acknowledge(answer.outcome.organizationId, fingerprintOf(body), credentialOf(stamper))
}

function ranBefore({ authority, type, kind }: ActivityEntry, caller: Caller): readonly string[] {
  const codes = ["ACTIVITY_REPLAYED"]
  if (authority === SETUP_CODE) codes.push("SETUP_CODE_SPENT", "CREDENTIAL_UNKNOWN")
  // The vote has ended the activity.
  if (authority === VOTE) codes.push("ACTIVITY_FINAL", "VOTE_REPEATED")
  if (type.endsWith("_DELETE_SUB_ORGANIZATION")) codes.push("ORGANIZATION_DELETED")
  // Its run ended the credential that asks again.
  const endsCredential = kind === "RECOVER_USER" || kind === "CREATE_READ_WRITE_SESSION" ? true : undefined
  if (endsCredential ?? (kind === "DISABLE_AUTH_PROXY" && caller.name === "user of the auth proxy"))
    codes.push("CREDENTIAL_UNKNOWN")
  return codes
}

/** The codes that the contract's groups give after the decision: they are about what the request asks for. */
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

/** The answers that the rules allow: any code of a fault that holds; without a fault the decision. */
export function allowedAnswers(scene: Scene, cast: Cast, caller: Caller, state: State): readonly string[] {
  const { entry, request } = scene
  const namedId = state.namedId?.(cast) ?? caller.namedId ?? request.organizationId
  const isOwnBody = namedId === request.organizationId
  const isHome = isLoginInChild(entry, caller, namedId, cast) || caller.homeId === namedId
  const isAssisting = entry.isOpenToParent && caller.homeId === parentOf(namedId, cast)
  const faults = [
    ...(caller.refused ?? []),
    ...(state.refused?.(entry, caller, isOwnBody) ?? []),
    ...faultsOfUse(scene, caller, cast),
  ]
  if (entry.authority === SETUP_CODE) {
    if (caller.stamper === request.stamper && faults.length === 0) return ["done"]
    return [...faults, "SETUP_CODE_OF_ANOTHER_KEY", ...(isOwnBody ? [] : ["SETUP_CODE_INVALID"])]
  }
  if (!isHome && !isAssisting) {
    const unknown = caller.name === "attested" ? "IDENTITY_UNKNOWN" : "CREDENTIAL_UNKNOWN"
    faults.push(caller.homeId === parentOf(namedId, cast) ? "ORGANIZATION_MISMATCH" : unknown)
  }
  // The child's own record of bodies has none of its parent's.
  if (isLoginInChild(entry, caller, namedId, cast) && state.name === "run before")
    return ["done", "ACTIVITY_REPLAYED"]
  if (faults.length > 0) return faults
  if (!isHome) return assisted(state)
  return decided(scene, cast, caller, state)
}

const parentOf = (organizationId: string, { acme, other }: Cast) =>
  [acme, other].some((top) => top.organizationId === organizationId) ? undefined : acme.organizationId

/** A login may name the parent of its user's organization (docs/THREAT_MODEL.md A8-family). */
const isLoginInChild = (
  { authority }: ActivityEntry,
  { homeId }: Caller,
  namedId: string,
  { kid, acme }: Cast,
) => authority === LOGIN && homeId === kid.organizationId && namedId === acme.organizationId

/** What no policy can allow: docs/THREAT_MODEL.md A5-attested, X1-user and the claims of recovery keys. */
function faultsOfUse({ entry, request }: Scene, caller: Caller, cast: Cast): string[] {
  const { authority, authProxyUse, kind } = entry
  const faults: string[] = []
  if (caller.stamper === cast.attested && authority !== LOGIN && authority !== VOTE)
    faults.push("ATTESTED_STAMP_NOT_ALLOWED")
  if (caller.userId === cast.proxy.userId && authProxyUse !== AuthProxyUse.OWN_ORGANIZATION)
    faults.push("AUTH_PROXY_USER_DENIED")
  const isRecoveryKey = caller.stamper === cast.recoveryKey || caller.stamper === request.stamper
  if (kind === "RECOVER_USER" && !isRecoveryKey) faults.push("RECOVERY_KEY_NEEDED")
  return faults
}

/** A user of the parent: its policies decide at once, and then what the login proves. */
function assisted({ name }: State): readonly string[] {
  return name === "root quorum of two"
    ? ["PARENT_LOGIN_NOT_ALLOWED", "PERMISSION_DENIED"]
    : ["done", ...PAST_DECISION]
}

/** Steps 2 to 12 of "The decision procedure" in docs/policies.md. */
function decided({ entry, request }: Scene, cast: Cast, caller: Caller, state: State): readonly string[] {
  const { authority, action } = entry
  const isTwo = state.name === "root quorum of two"
  const isInChild = caller.homeId !== cast.acme.organizationId
  const isDenied = state.name === "denied by a policy" && !isInChild
  const isRoot = caller.role === "root" || (isTwo && caller.userId === cast.alice.userId)
  if (authority === VOTE) return vote(caller, cast)
  const { userId = caller.userId } = request.parameters as { userId?: string }
  // 2: an import serves the user who asked for its key.
  if (action === "IMPORT" && userId !== caller.userId) return ["PERMISSION_DENIED"]
  const isForeign = request.type === "IMPORT_SECRETS" && caller.userId !== cast.acme.rootUserId
  const done = isForeign ? ["IMPORT_TARGET_UNKNOWN"] : ["done"]
  // 3, 4
  if (isRoot && (!isTwo || isInChild)) return done
  if (authority === ROOT_QUORUM) return [isRoot ? "waits" : "PERMISSION_DENIED"]
  // 6 to 8
  if (isDenied) return ["PERMISSION_DENIED"]
  if (caller.role === "allowed" || authority === LOGIN) return done
  // 9, 10, 12
  if (isRoot) return ["waits"]
  if (authority === OWN_CREDENTIAL && userId === caller.userId) return ["done"]
  return ["PERMISSION_DENIED"]
}

/** Each user casts one vote, and no policy grants one. The root user has cast theirs; a policy lets mallory create the wallet alone. */
function vote({ userId }: Caller, { acme, alice, mallory }: Cast): readonly string[] {
  if (userId === acme.rootUserId) return ["VOTE_REPEATED"]
  return userId === alice.userId || userId === mallory.userId ? ["done"] : ["VOTE_NOT_COUNTED"]
}
