import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { startChild } from "../child.ts"
import { inOwnDirectory } from "../own-directory.ts"
import type { LoadAnswer, LoadQuestion, Signs, Target } from "../load/target.ts"
import { describeMachine, type Machine } from "../machine.ts"
import { watchDrift } from "../run.ts"
import { StampingClient } from "../suborgs/caller.ts"
import { startEmbedded } from "../system/database-server.ts"
import { startSystem } from "../system/system.ts"
import { startAnvil } from "./anvil.ts"
import { measureReading, type TransactionReading } from "./reading.ts"
import { measureSends, type SendPlan, type SendsRun } from "./sends.ts"

export type TransactionsPlan = {
  /** Readings of each transaction. */
  reads: number
  rounds: number
  /** Length of one window. */
  seconds: number
  connections: number
  sends: SendPlan
}

export const FULL_PLAN: TransactionsPlan = {
  reads: 200,
  rounds: 5,
  seconds: 3,
  connections: 16,
  sends: { sends: 1_000, accounts: 50 },
}
export const SHORT_PLAN: TransactionsPlan = {
  reads: 2,
  rounds: 1,
  seconds: 0.3,
  connections: 2,
  sends: { sends: 6, accounts: 2 },
}

/** Signatures a second through the whole service: of transfers, and of the same transfers' digests. */
export type SigningRound = { [signs in Extract<Signs, "transfer" | "digest">]: number }

export type TransactionsRun = {
  machine: Machine
  reads: TransactionReading[]
  signing: SigningRound[]
  /** Undefined: there is no anvil for this machine. */
  sends: SendsRun | undefined
  /** Change of the bare signature from start to end, as a share of the slower. */
  drift: number
}

export function measureTransactions(
  plan: TransactionsPlan,
  say: (line: string) => void,
): Promise<TransactionsRun> {
  return inOwnDirectory(async ({ directory, interruption, stops, started }) => {
    say("reads transactions")
    const reads = measureReading(plan.reads)
    interruption.check()
    const anchors = started(await startChild(new URL("../anchors.ts", import.meta.url)))
    const load = started(await startChild(new URL("../load/main.ts", import.meta.url)))
    say("starts the service")
    const chain = await startAnvil()
    stops.push(() => chain?.stop())
    await mkdir(join(directory, "service"), { mode: 0o755 })
    const database = started(await startEmbedded(join(directory, "service", "postgres")))
    const system = started(
      await startSystem({
        directory: join(directory, "service", "system"),
        database,
        wire: "unix",
        ...(chain && { chains: `${chain.caip2}=${chain.url}` }),
      }),
    )
    const { target } = system
    const measure = (signs: Signs, seconds: number) =>
      measureWindow(load, { ...target, signs }, { seconds, connections: plan.connections })
    say("warms up")
    for (const signs of ["transfer", "digest"] as const) await measure(signs, plan.seconds)
    const drift = await watchDrift(anchors, plan.seconds)
    const signing: SigningRound[] = []
    for (let round = 1; round <= plan.rounds; round++) {
      interruption.check()
      say(`round ${round} of ${plan.rounds}`)
      signing.push(await measureRound(round, (signs) => measure(signs, plan.seconds)))
    }
    const moved = await drift()
    if (chain) say(`sends ${plan.sends.sends} transactions`)
    const sends =
      chain &&
      (await sendAll(target, (caller) => measureSends(caller, target.organizationId, chain, plan.sends)))
    return { machine: describeMachine(directory), reads, signing, sends, drift: moved }
  })
}

/** One window of signatures: how many a second. */
async function measureWindow(
  load: Awaited<ReturnType<typeof startChild>>,
  target: Extract<LoadQuestion, { ask: "begin" }>["target"] & { signs: Signs },
  { seconds, connections }: { seconds: number; connections: number },
): Promise<number> {
  const window = { connections, seconds, warmUpSeconds: seconds / 2 }
  await load.ask({ ask: "begin", target, series: target.signs, ...window } satisfies LoadQuestion)
  return ((await load.ask({ ask: "finish" } satisfies LoadQuestion)) as LoadAnswer).perSecond
}

/** The second window of a round is faster or slower as the machine is: each series is the first one in turn. */
async function measureRound(
  round: number,
  measure: (signs: Signs) => Promise<number>,
): Promise<SigningRound> {
  if (round % 2 === 0) {
    const digest = await measure("digest")
    return { digest, transfer: await measure("transfer") }
  }
  const transfer = await measure("transfer")
  return { transfer, digest: await measure("digest") }
}

async function sendAll(
  target: Target,
  send: (caller: StampingClient) => Promise<SendsRun>,
): Promise<SendsRun> {
  const caller = new StampingClient(target, target)
  try {
    return await send(caller)
  } finally {
    caller.close()
  }
}
