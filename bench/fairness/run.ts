import { join } from "node:path"
import { type Child, startChild } from "../child.ts"
import { inOwnDirectory } from "../own-directory.ts"
import type { LoadAnswer, LoadQuestion, Target } from "../load/target.ts"
import { describeMachine, type Machine } from "../machine.ts"
import { watchDrift } from "../run.ts"
import { startService } from "../services.ts"
import { StampingClient } from "../suborgs/caller.ts"
import { makeOrganization } from "../system/organization.ts"
import { largeCallReader } from "../transactions/samples.ts"
import type { FloodAnswer, FloodQuestion } from "./flood.ts"
import { writeHistory } from "./history.ts"
import { type Flood, type FloodKind, floodKinds, floods } from "./kinds.ts"
import { notifyReceivers } from "./receivers.ts"

export type FairnessPlan = {
  /** Length of one window. */
  seconds: number
  /** Windows of each figure. */
  rounds: number
  /** Activities in the history that the lists filter. */
  activities: number
  /** Notifications that wait when a receiver is up again: an hour's, at ten a second. */
  backlog: number
  kinds: readonly FloodKind[]
}

export const FULL_PLAN: FairnessPlan = {
  seconds: 10,
  rounds: 3,
  activities: 3_000_000,
  backlog: 36_000,
  kinds: floodKinds,
}
export const SHORT_PLAN: FairnessPlan = {
  seconds: 0.2,
  rounds: 1,
  activities: 3_000,
  backlog: 100,
  kinds: floodKinds,
}

const WARM_UP_SECONDS = 1
/** Duration of each measurement of the bare signature, before and after the rounds. */
const ANCHOR_SECONDS = 2

/** Latencies of the quiet organization in one window, and the replies that the flood got meanwhile. */
export type Window = { p50Ms: number; p99Ms: number; requests: number; flood?: FloodAnswer }

/** A kind that the plan leaves out is absent. */
export type FairnessRound = { alone: Window } & { [kind in FloodKind]?: Window }
export type FairnessRun = {
  machine: Machine
  rounds: FairnessRound[]
  /** Change of the bare signature's rate from start to end, as a share of the slower. */
  drift: number
}

type Bench = {
  load: Child
  flood: Child
  quiet: Target
  loud: Target
  plan: FairnessPlan
  databaseUrl: string
}

/** One organization signs, one request after another, alone and beside each flood of another organization. */
export function measureFairness(plan: FairnessPlan, say: (line: string) => void): Promise<FairnessRun> {
  return inOwnDirectory(async ({ directory, interruption, started }) => {
    const child = async (file: string): Promise<Child> =>
      started(await startChild(new URL(file, import.meta.url)))
    const [anchors, load, flood] = [
      await child("../anchors.ts"),
      await child("../load/main.ts"),
      await child("flood.ts"),
    ]
    say("starts the service")
    const service = started(
      await startService("service", join(directory, "service"), { localWebhooks: true }),
    )
    const loud = service.target
    const socket = join(directory, "service", "system", "operator", "operator.sock")
    const quiet = await makeOrganization(loud, socket)
    await readCalls(loud)
    const bench: Bench = { load, flood, quiet, loud, plan, databaseUrl: service.databaseUrl }
    say("warms up")
    for (const target of [loud, quiet]) await measureQuiet({ ...bench, quiet: target }, "warm-up")
    say(`writes a history of ${plan.activities} activities`)
    await writeHistory(service.databaseUrl, loud.organizationId, plan.activities)
    const drift = await watchDrift(anchors, Math.min(plan.seconds, ANCHOR_SECONDS))
    const rounds: FairnessRound[] = []
    for (let round = 1; round <= plan.rounds; round++) {
      const windows: FairnessRound = { alone: await measureQuiet(bench, "alone") }
      for (const kind of plan.kinds) {
        interruption.check()
        say(`round ${round} of ${plan.rounds}: beside ${kind}`)
        windows[kind] = await measureBeside(kind, bench)
      }
      rounds.push(windows)
    }
    return { machine: describeMachine(directory), rounds, drift: await drift() }
  })
}

/** Uploads the interface of the contract that large transactions call, and a policy that reads their arguments. */
async function readCalls(target: Target): Promise<void> {
  const { condition, ...contract } = largeCallReader
  const policy = { policyName: "Calls", effect: "EFFECT_ALLOW", condition, notes: "" }
  const caller = new StampingClient(target, target)
  const submit = async (path: string, type: string, parameters: object) => {
    const { text } = await caller.submit(path, type, target.organizationId, parameters)
    if (!text.includes("ACTIVITY_STATUS_COMPLETED")) throw new Error(`${path} did not complete: ${text}`)
  }
  try {
    await submit("create_smart_contract_interface", "CREATE_SMART_CONTRACT_INTERFACE", {
      ...contract,
      label: "Calls",
    })
    await submit("create_policy", "CREATE_POLICY_V3", policy)
  } finally {
    caller.close()
  }
}

async function measureBeside(kind: FloodKind, bench: Bench): Promise<Window> {
  const { flood, loud: target, plan, databaseUrl } = bench
  const seconds = plan.seconds + Math.min(plan.seconds, WARM_UP_SECONDS)
  const { receivers }: Flood = floods[kind]
  const notified = receivers && (await notifyReceivers(receivers, { target, databaseUrl, ...plan }))
  await flood.ask({ ask: "begin", kind, target, seconds } satisfies FloodQuestion)
  notified?.begin()
  const window = await measureQuiet(bench, kind)
  const answer = (await flood.ask({ ask: "finish" } satisfies FloodQuestion)) as FloodAnswer
  const notifications = await notified?.end()
  return { ...window, flood: { ...answer, ...(notifications !== undefined && { notifications }) } }
}

async function measureQuiet({ load, quiet: target, plan }: Bench, series: string): Promise<Window> {
  const { seconds } = plan
  const warmUpSeconds = Math.min(seconds / 2, WARM_UP_SECONDS)
  const begin: LoadQuestion = { ask: "begin", target, series, connections: 1, seconds, warmUpSeconds }
  await load.ask(begin)
  const { p50Ms, p99Ms, requests } = (await load.ask({ ask: "finish" } satisfies LoadQuestion)) as LoadAnswer
  return { p50Ms, p99Ms, requests }
}
