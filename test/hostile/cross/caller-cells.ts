import { type ActivityEntry, activityTypes } from "../../../proto/catalog.ts"
import { apiKey, type Answer } from "../../harness/api-client.ts"
import { documentOf } from "../../harness/document.ts"
import type { TestKey } from "../../harness/stamper.ts"
import { asRoot } from "../setup.ts"
import { allowedAnswers, type Caller, callersOf, stampOf, rulesStay, type State, STATES } from "./callers.ts"
import type { Figures } from "./figures.ts"
import { bodyOf, type Cast, type Scene, type Stage, type StageClient, verdictOf } from "./stage.ts"

/** Every served activity type, without prefix. */
export const ACTIVITIES: readonly string[] = [...activityTypes.values()]
  .filter(({ served }) => served)
  .map(({ type }) => type.replace("ACTIVITY_TYPE_", ""))

export type Products = { callers: Figures; retries: Figures }

/**
 * One activity × each caller × each state. Each refused body is sent again. Afterwards the causes of refusals are removed, and the
 * same body is sent once more.
 */
export async function runActivity(stage: Stage, name: string, products: Products): Promise<void> {
  const scene = await stage.prepare(name)
  for (const state of STATES) {
    const whyNot = state.whyNot(scene.entry)
    if (whyNot !== "") {
      products.callers.notRun(whyNot, callersOf(scene, stage.cast).length)
      continue
    }
    const changed = (await state.make?.(stage, scene)) ?? scene
    await runState(stage, changed, scene, state, products)
    if (changed !== scene) stage.discard(changed)
  }
  await runCures(stage, scene, products.retries)
  stage.discard(scene)
}

async function runState(
  stage: Stage,
  scene: Scene,
  first: Scene,
  state: State,
  { callers, retries }: Products,
) {
  const { entry } = scene
  await stage.load(scene)
  for (const caller of callersOf(scene, stage.cast)) {
    const cell = `${entry.type} × ${caller.name} × ${state.name}`
    const body = sentBy(first, stage, caller, state)
    const send = async () => answerOf(scene.client, body, caller)
    const answer = await send()
    callers.count(cell, answer, allowedAnswers(scene, stage.cast, caller, state))
    if (isRefused(answer)) {
      retries.count(`${cell}, again`, await send(), [answer])
      if (stage.signer.isUntouched) continue
      // The time of a fetcher's statement is noted, whatever becomes of the body: it is no organization's.
      const isStated = (scene.client.lastOrder?.fetched.length ?? 0) > 0
      if (isStated && stage.signer.hasSameOrganizations) continue
      callers.unexpected.push(`${cell}: refused, and the ledger changed`)
    }
    await stage.load(scene)
  }
}

function sentBy(
  scene: Scene,
  { cast }: Stage,
  caller: Caller,
  { namedId, laterMs = 0 }: Partial<State> = {},
) {
  const organizationId = namedId?.(cast) ?? caller.namedId ?? scene.request.organizationId
  return bodyOf(scene, { organizationId, laterMs })
}

async function answerOf(client: StageClient, body: string, caller: Caller): Promise<string> {
  const answer = await client
    .offer(body, stampOf(caller, body))
    .catch((error: Error): Answer | Error => error)
  return answer instanceof Error ? `fault: ${answer.message}` : verdictOf(answer)
}

const isRefused = (answer: string) => !["done", "waits", "failed"].includes(answer)

/** A refusal, what ends its cause, and the answers that the same body and stamp may then get. */
type Cure = {
  name: string
  caller: string
  /** Codes of the refusal. An activity that has another answer has no such refusal. */
  codes: readonly string[]
  /** The state in which it is refused. */
  from: State
  end: (stage: Stage, client: StageClient, caller: Caller, scene: Scene) => Promise<unknown>
  allowed: (scene: Scene, cast: Cast, caller: Caller) => readonly string[]
}

const stateOf = (name: string) => STATES.find((state) => state.name === name)!
const currently = (scene: Scene, cast: Cast, caller: Caller) =>
  allowedAnswers(scene, cast, caller, stateOf("current"))
const SECOND_MS = 1000
const HOUR_MS = 3600 * SECOND_MS

const usedAtProvider = ({ type }: ActivityEntry) =>
  type.endsWith("_OAUTH2_AUTHENTICATE") ? "the provider gave its answer for the code once" : ""

/** From the lines "To do" of refusal.proto, and docs/ERRORS.md: "The same body may be sent again when the cause is gone". */
const CURES: readonly Cure[] = [
  {
    name: "a policy allows it",
    caller: "user by other policies",
    codes: ["PERMISSION_DENIED"],
    from: stateOf("current"),
    end: ({ cast }, client, { userId }, { entry }) =>
      asRoot({ client, acme: cast.acme }).submit("CREATE_POLICY_V3", {
        policyName: "cross cure",
        effect: "EFFECT_ALLOW",
        condition: `activity.type == '${entry.type}'`,
        consensus: `approvers.any(user, user.id == '${userId}')`,
        notes: "",
      }),
    allowed: (scene, cast, caller) => currently(scene, cast, { ...caller, role: "allowed" }),
  },
  {
    name: "the policy that denied it is deleted",
    caller: "user by policy",
    codes: ["PERMISSION_DENIED"],
    from: stateOf("denied by a policy"),
    end: async ({ cast }, client) => {
      const { submit } = asRoot({ client, acme: cast.acme })
      const { policies } = documentOf(client, cast.acme.organizationId)
      const deny = policies.find(({ name }) => name === "cross deny")!
      await submit("DELETE_POLICY", { policyId: deny.policyId })
    },
    allowed: currently,
  },
  {
    name: "its time comes",
    caller: "as prepared",
    codes: ["REQUEST_FROM_FUTURE"],
    from: { ...stateOf("over five minutes ahead"), whyNot: usedAtProvider },
    end: async ({ signer }) => signer.boundary.clock.pass(2 * SECOND_MS),
    allowed: currently,
  },
  {
    name: "another hour passes",
    caller: "as prepared",
    codes: ["REQUEST_STALE"],
    from: stateOf("over an hour old"),
    end: async ({ signer }) => signer.boundary.clock.pass(HOUR_MS),
    allowed: () => ["REQUEST_STALE"],
  },
  {
    name: "an hour passes after it ran",
    caller: "as prepared",
    codes: ["ACTIVITY_REPLAYED"],
    from: stateOf("run before"),
    end: async ({ signer }) => signer.boundary.clock.pass(HOUR_MS),
    allowed: () => ["REQUEST_STALE"],
  },
  {
    name: "the key is added later",
    caller: "stranger",
    codes: ["CREDENTIAL_UNKNOWN"],
    from: { ...stateOf("current"), whyNot: rulesStay },
    end: ({ cast: { acme }, signer }, client, { stamper }) => {
      signer.boundary.clock.pass(6 * 60 * SECOND_MS)
      const apiKeys = [apiKey(stamper as TestKey, "late")]
      return asRoot({ client, acme }).submit("CREATE_API_KEYS_V2", { userId: acme.rootUserId, apiKeys })
    },
    allowed: ({ request }, { acme }) =>
      request.organizationId === acme.organizationId
        ? ["CREDENTIAL_NEWER_THAN_REQUEST"]
        : ["ORGANIZATION_MISMATCH"],
  },
]

async function runCures(stage: Stage, scene: Scene, retries: Figures): Promise<void> {
  const { cast } = stage
  for (const { name, caller: callerName, codes, from, end, allowed } of CURES) {
    const caller = callersOf(scene, cast).find((one) => one.name === callerName)!
    const cell = `${scene.entry.type} × ${caller.name} × ${codes.join(" or ")}, then ${name}`
    const isRefused = isIn(allowedAnswers(scene, cast, caller, from), codes)
    const whyNot =
      from.whyNot(scene.entry) || (isRefused ? "" : "the activity gets no such refusal, or may get others")
    if (whyNot !== "") {
      retries.notRun(whyNot)
      continue
    }
    const refusing = (await from.make?.(stage, scene)) ?? scene
    await stage.load(refusing)
    const client = refusing.client.copy()
    const body = sentBy(scene, stage, caller, from)
    const before = await answerOf(client, body, caller)
    if (!codes.includes(before)) retries.unexpected.push(`${cell}: at first ${before}`)
    await end(stage, client, caller, scene)
    retries.count(cell, await answerOf(client, body, caller), allowed(scene, cast, caller))
    if (refusing !== scene) stage.discard(refusing)
  }
  await runAfterAll(stage, scene, retries)
}

/** After everybody was refused, the request runs for whom it was prepared: no refusal has used anything up. */
async function runAfterAll(stage: Stage, scene: Scene, retries: Figures): Promise<void> {
  const current = stateOf("current")
  await stage.load(scene)
  const callers = callersOf(scene, stage.cast)
  for (const caller of callers) {
    const allowed = allowedAnswers(scene, stage.cast, caller, current)
    if (!allowed.includes("done")) await answerOf(scene.client, sentBy(scene, stage, caller, current), caller)
  }
  const [prepared] = callers
  const answer = await answerOf(scene.client, sentBy(scene, stage, prepared!, current), prepared!)
  retries.count(`${scene.entry.type}, after all refusals`, answer, ["done"])
}

const isIn = (some: readonly string[], all: readonly string[]) =>
  some.length > 0 && some.every((one) => all.includes(one))
