import { type ActivityEntry, activityTypes } from "../../../proto/catalog.ts"
import { apiKey, type Answer } from "../../harness/api-client.ts"
import { documentOf } from "../../harness/document.ts"
import type { TestKey } from "../../harness/stamper.ts"
import { asRoot } from "../setup.ts"
import { allowedAnswers, type Caller, callersOf, stampOf, rulesStay, type State, STATES } from "./callers.ts"
import type { Figures } from "./figures.ts"
import {
  bodyOf,
  type Actors,
  type PreparedRequest,
  type CrossSetup,
  type StatementKeepingClient,
  verdictOf,
} from "./cross-setup.ts"

/** Every served activity type, without prefix. */
export const ACTIVITIES: readonly string[] = [...activityTypes.values()]
  .filter(({ served }) => served)
  .map(({ type }) => type.replace("ACTIVITY_TYPE_", ""))

export type Products = { callers: Figures; retries: Figures }

/**
 * One activity × each caller × each state. Each refused body is sent again. Afterwards the causes of refusals are removed, and the
 * same body is sent once more.
 */
export async function runActivity(setup: CrossSetup, name: string, products: Products): Promise<void> {
  const prepared = await setup.prepare(name)
  for (const state of STATES) {
    const whyNot = state.whyNot(prepared.entry)
    if (whyNot !== "") {
      products.callers.notRun(whyNot, callersOf(prepared, setup.actors).length)
      continue
    }
    const changed = (await state.make?.(setup, prepared)) ?? prepared
    await runState(setup, changed, prepared, state, products)
    if (changed !== prepared) setup.discard(changed)
  }
  await runCures(setup, prepared, products.retries)
  setup.discard(prepared)
}

async function runState(
  setup: CrossSetup,
  prepared: PreparedRequest,
  first: PreparedRequest,
  state: State,
  { callers, retries }: Products,
) {
  const { entry } = prepared
  await setup.load(prepared)
  for (const caller of callersOf(prepared, setup.actors)) {
    const cell = `${entry.type} × ${caller.name} × ${state.name}`
    const body = sentBy(first, setup, caller, state)
    const send = async () => answerOf(prepared.client, body, caller)
    const answer = await send()
    callers.count(cell, answer, allowedAnswers(prepared, setup.actors, caller, state))
    if (isRefused(answer)) {
      retries.count(`${cell}, again`, await send(), [answer])
      if (setup.signer.isUntouched) continue
      // A refused body may still store the time of a fetcher's statement, which belongs to no organization.
      const hasStatements = (prepared.client.lastOrder?.fetched.length ?? 0) > 0
      if (hasStatements && setup.signer.hasSameOrganizations) continue
      callers.unexpected.push(`${cell}: refused, and the ledger changed`)
    }
    await setup.load(prepared)
  }
}

function sentBy(
  prepared: PreparedRequest,
  { actors }: CrossSetup,
  caller: Caller,
  { namedId, laterMs = 0 }: Partial<State> = {},
) {
  const organizationId = namedId?.(actors) ?? caller.namedId ?? prepared.request.organizationId
  return bodyOf(prepared, { organizationId, laterMs })
}

async function answerOf(client: StatementKeepingClient, body: string, caller: Caller): Promise<string> {
  const answer = await client
    .offer(body, stampOf(caller, body))
    .catch((error: Error): Answer | Error => error)
  return answer instanceof Error ? `fault: ${answer.message}` : verdictOf(answer)
}

const isRefused = (answer: string) => !["done", "waits", "failed"].includes(answer)

/** A refusal, the change that removes its cause, and the answers that the same body and stamp may get afterwards. */
type Cure = {
  name: string
  caller: string
  /** Codes of the refusal. An activity that may get another answer is not run. */
  codes: readonly string[]
  /** The state in which the body is refused. */
  from: State
  end: (
    setup: CrossSetup,
    client: StatementKeepingClient,
    caller: Caller,
    prepared: PreparedRequest,
  ) => Promise<unknown>
  allowed: (prepared: PreparedRequest, actors: Actors, caller: Caller) => readonly string[]
}

const stateOf = (name: string) => STATES.find((state) => state.name === name)!
const currently = (prepared: PreparedRequest, actors: Actors, caller: Caller) =>
  allowedAnswers(prepared, actors, caller, stateOf("current"))
const SECOND_MS = 1000
const HOUR_MS = 3600 * SECOND_MS

const usedAtProvider = ({ type }: ActivityEntry) =>
  type.endsWith("_OAUTH2_AUTHENTICATE") ? "the provider answers only once for each code" : ""

/** From the lines "To do" of refusal.proto, and docs/ERRORS.md: "The same body may be sent again when the cause is deletedSubOrganization". */
const CURES: readonly Cure[] = [
  {
    name: "a policy allows it",
    caller: "user by other policies",
    codes: ["PERMISSION_DENIED"],
    from: stateOf("current"),
    end: ({ actors }, client, { userId }, { entry }) =>
      asRoot({ client, acme: actors.acme }).submit("CREATE_POLICY_V3", {
        policyName: "cross cure",
        effect: "EFFECT_ALLOW",
        condition: `activity.type == '${entry.type}'`,
        consensus: `approvers.any(user, user.id == '${userId}')`,
        notes: "",
      }),
    allowed: (prepared, actors, caller) => currently(prepared, actors, { ...caller, role: "allowed" }),
  },
  {
    name: "the policy that denied it is deleted",
    caller: "user by policy",
    codes: ["PERMISSION_DENIED"],
    from: stateOf("denied by a policy"),
    end: async ({ actors }, client) => {
      const { submit } = asRoot({ client, acme: actors.acme })
      const { policies } = documentOf(client, actors.acme.organizationId)
      const deny = policies.find(({ name }) => name === "cross deny")!
      await submit("DELETE_POLICY", { policyId: deny.policyId })
    },
    allowed: currently,
  },
  {
    name: "its time is no longer in the future",
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
    name: "the key is added",
    caller: "stranger",
    codes: ["CREDENTIAL_UNKNOWN"],
    from: { ...stateOf("current"), whyNot: rulesStay },
    end: ({ actors: { acme }, signer }, client, { stamper }) => {
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

async function runCures(setup: CrossSetup, prepared: PreparedRequest, retries: Figures): Promise<void> {
  const { actors } = setup
  for (const { name, caller: callerName, codes, from, end, allowed } of CURES) {
    const caller = callersOf(prepared, actors).find((one) => one.name === callerName)!
    const cell = `${prepared.entry.type} × ${caller.name} × ${codes.join(" or ")}, then ${name}`
    const isRefused = isIn(allowedAnswers(prepared, actors, caller, from), codes)
    const whyNot =
      from.whyNot(prepared.entry) ||
      (isRefused ? "" : "the activity does not get this refusal, or may get others")
    if (whyNot !== "") {
      retries.notRun(whyNot)
      continue
    }
    const refusing = (await from.make?.(setup, prepared)) ?? prepared
    await setup.load(refusing)
    const client = refusing.client.copy()
    const body = sentBy(prepared, setup, caller, from)
    const before = await answerOf(client, body, caller)
    if (!codes.includes(before)) retries.unexpected.push(`${cell}: at first ${before}`)
    await end(setup, client, caller, prepared)
    retries.count(cell, await answerOf(client, body, caller), allowed(prepared, actors, caller))
    if (refusing !== prepared) setup.discard(refusing)
  }
  await runAfterAll(setup, prepared, retries)
}

/** Once every other caller was refused, the request still runs for the user who prepared it. */
async function runAfterAll(setup: CrossSetup, prepared: PreparedRequest, retries: Figures): Promise<void> {
  const current = stateOf("current")
  await setup.load(prepared)
  const callers = callersOf(prepared, setup.actors)
  for (const caller of callers) {
    const allowed = allowedAnswers(prepared, setup.actors, caller, current)
    if (!allowed.includes("done"))
      await answerOf(prepared.client, sentBy(prepared, setup, caller, current), caller)
  }
  const [preparer] = callers
  const answer = await answerOf(prepared.client, sentBy(prepared, setup, preparer!, current), preparer!)
  retries.count(`${prepared.entry.type}, after all refusals`, answer, ["done"])
}

const isIn = (some: readonly string[], all: readonly string[]) =>
  some.length > 0 && some.every((one) => all.includes(one))
