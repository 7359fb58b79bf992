import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { type Child, startChild } from "../child.ts"
import type { Measurement } from "../goals.ts"
import { describeMachine, type Machine } from "../machine.ts"
import { measureAnchor, measureLoad } from "../measure.ts"
import { inOwnDirectory, type RunContext } from "../own-directory.ts"
import { startFloor } from "../places.ts"
import { watchDrift } from "../run.ts"
import { startService } from "../services.ts"
import { type Spread, spreadOf } from "../spread.ts"
import { addAccounts, addPolicyUser } from "../system/organization.ts"
import { checkOut, startTree, type Tree, type TreesPlan } from "../trees/run.ts"
import { startVault } from "./vault.ts"

/** Fewer rounds than of trees: there are more subjects. */
export const FULL_PLAN: TreesPlan = { rounds: 15, seconds: 1, warmUp: 20_000 }

export const CONNECTIONS = [1, 16, 64] as const

/** Subjects that can be measured beside the service. `earlier`: the service of an older commit. */
export const OTHERS = [
  "policy user",
  "64 accounts",
  "16000 accounts",
  "two API processes",
  "earlier",
  "Vault",
  "floor",
] as const
type OtherName = (typeof OTHERS)[number]

export type Peers = {
  /** Path of Vault's program; absent: Vault is not measured. */
  vault?: string | undefined
  /** Commit of an older tree; absent: no older tree is measured. */
  against?: string | undefined
  /** Which of OTHERS to measure; empty: all. */
  only: readonly string[]
}

export type PeersRun = {
  machine: Machine
  /** Commit of the older tree. */
  commit: string | undefined
  drift: number
  /** Share of the CPU that other programs took in the median window. */
  othersShare: number
  /** Measurements of each round, by subject and connections, such as `service at 64`. */
  series: Record<string, Measurement[]>
  /** CPU time of two P-256 verifications and one secp256k1 signature in each round, µs. */
  cryptographyUs: number[]
}

/** Measures the service and its peers in turn. All of them run throughout; only one at a time gets requests. */
export function measurePeers(peers: Peers, plan: TreesPlan, say: (line: string) => void): Promise<PeersRun> {
  return inOwnDirectory(async (context) => {
    const { directory, interruption, started } = context
    const machine = describeMachine(directory)
    const anchors = started(await startChild(new URL("../anchors.ts", import.meta.url)))
    const load = started(await startChild(new URL("../load/main.ts", import.meta.url)))
    const { subjects, commit } = await startSubjects(peers, context)
    const drift = await watchDrift(anchors, ANCHOR_SECONDS)
    const measure = (name: string, subject: Tree, connections: number) => {
      interruption.check()
      return measureLoad(load, subject, `${name} at ${connections}`, plan.seconds)
    }
    for (const [name, subject] of Object.entries(subjects)) {
      say(`warms up: ${name}`)
      await warmUp(plan, (connections) => measure(name, subject, connections))
      await subject.settle()
    }
    const series: PeersRun["series"] = {}
    const cryptographyUs: number[] = []
    for (let round = 0; round < plan.rounds; round++) {
      say(`round ${round + 1} of ${plan.rounds}`)
      cryptographyUs.push(await measureCryptography(anchors, plan.seconds / 2))
      // Later subjects run on a warmer machine, so the order changes with each round.
      const order = round % 2 === 0 ? Object.entries(subjects) : Object.entries(subjects).toReversed()
      for (const connections of CONNECTIONS) {
        for (const [name, subject] of order) {
          await pause(PAUSE_MS)
          const all = (series[`${name} at ${connections}`] ??= [])
          all.push(await measure(name, subject, connections))
        }
      }
    }
    const shares = Object.values(series).flatMap((all) =>
      all.map(({ othersShare = Number.NaN }) => othersShare),
    )
    const othersShare = spreadOf(shares)?.median ?? 0
    return { machine, commit, drift: await drift(), othersShare, series, cryptographyUs }
  })
}

const ANCHOR_SECONDS = 2
/** Time for work that the previous window left to end. */
const PAUSE_MS = 100

async function startSubjects(
  { vault, against, only }: Peers,
  context: RunContext,
): Promise<{ subjects: Record<string, Tree>; commit: string | undefined }> {
  const { directory, started } = context
  const service = started(await startService("service", join(directory, "service")))
  const subjects: Record<string, Tree> = { service }
  const add = async (name: OtherName, start: () => Promise<Tree>) => {
    if (only.length === 0 || only.includes(name)) subjects[name] = await start()
  }
  await add("policy user", async () => ({ ...service, target: await addPolicyUser(service.target) }))
  const inTurn = async (count: number): Promise<Tree> => {
    const addresses = await addAccounts(service.target, count)
    return { ...service, target: { ...service.target, inTurn: addresses } }
  }
  await add("64 accounts", () => inTurn(64))
  await add("16000 accounts", () => inTurn(16_000))
  const apiSettings = { COUNTERSIGN_API_PROCESSES: "2" }
  await add("two API processes", async () =>
    started(await startService("service", join(directory, "two"), { apiSettings })),
  )
  let commit: string | undefined
  if (against !== undefined) {
    const other = await checkOut(against, context)
    commit = other.commit
    const settings = { tree: other.folder, directory: join(directory, "other") }
    await add("earlier", () => startTree(settings, context))
  }
  if (vault !== undefined)
    await add("Vault", async () => started(await startVault(vault, join(directory, "vault"))))
  await add("floor", async () => started(await startFloor("insert", join(directory, "floor"))))
  return { subjects, commit }
}

async function measureCryptography(anchors: Child, seconds: number): Promise<number> {
  const verify = await measureAnchor(anchors, "p256-verify", seconds)
  const sign = await measureAnchor(anchors, "libsecp256k1-sign", seconds)
  return 2 * (verify.cpuUs?.floor ?? Number.NaN) + (sign.cpuUs?.floor ?? Number.NaN)
}

async function warmUp(
  plan: TreesPlan,
  measure: (connections: number) => Promise<Measurement>,
): Promise<void> {
  for (let requests = 0; requests < plan.warmUp; )
    requests += (await measure(CONNECTIONS[2])).perSecond * plan.seconds
}

/** Figures of one subject divided by those of another in the same round. */
export function ratioOf(
  { series }: Pick<PeersRun, "series">,
  above: string,
  below: string,
  read: (measured: Measurement) => number | undefined,
): Spread | undefined {
  const others = series[below] ?? []
  const ratios = (series[above] ?? []).flatMap((one, round) => {
    const other = others[round]
    return other === undefined ? [] : (read(one) ?? Number.NaN) / (read(other) ?? Number.NaN)
  })
  return spreadOf(ratios)
}

/** CPU time of a request, µs, summed over all processes of the subject. */
export function cpuOf({ cpuUs }: Measurement): number | undefined {
  const { api = 0, signer = 0, postgres = 0, peer = 0 } = cpuUs ?? {}
  const sum = api + signer + postgres + peer
  return sum === 0 ? undefined : sum
}
