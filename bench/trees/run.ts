import { execFile } from "node:child_process"
import { symlink } from "node:fs/promises"
import { join, resolve } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { promisify } from "node:util"
import { type Child, startChild } from "../child.ts"
import type { Signs } from "../load/target.ts"
import { describeMachine, type Machine } from "../machine.ts"
import { measureLoad } from "../measure.ts"
import { inOwnDirectory, type RunContext } from "../own-directory.ts"
import type { Place } from "../places.ts"
import { watchDrift } from "../run.ts"
import { type Spread, spreadOf } from "../spread.ts"
import type { StartedTree, TreeQuestion, TreeSettings } from "./tree-child.ts"

const ROOT = resolve(import.meta.dirname, "../..")
const execute = promisify(execFile)

export type TreesPlan = {
  rounds: number
  seconds: number
  /** Requests that each tree answers before the first round: until then its code is not compiled. */
  warmUp: number
}

/** Many short windows: a machine whose speed changes within seconds changes both sides of most ratios alike. */
export const FULL_PLAN: TreesPlan = { rounds: 25, seconds: 1, warmUp: 20_000 }
export const SHORT_PLAN: TreesPlan = { rounds: 1, seconds: 0.2, warmUp: 20 }

/** Requests of one kind over so many connections. */
type Load = { name: string; signs: Signs }

const LOADS: readonly Load[] = [
  { name: "signatures at 1", signs: "payload" },
  { name: "signatures at 16", signs: "payload" },
  { name: "signatures at 64", signs: "payload" },
  { name: "changes at 1", signs: "name" },
  { name: "changes at 16", signs: "name" },
]

/** Ratios for one load: this tree's figure divided by the other's, in the same round. */
export type Compared = {
  name: string
  perSecond: Spread
  otherPerSecond: Spread
  rate: Spread
  p50: Spread
  /** CPU of API, signer and PostgreSQL for a request; undefined where there is no /proc. */
  cpu: Spread | undefined
}

export type TreesRun = {
  machine: Machine
  /** Commit of the other tree. */
  commit: string
  drift: number
  /** Share of the CPU that other programs took in the median window. */
  othersShare: number
  loads: Compared[]
}

type Figures = { perSecond: number; p50Ms: number; cpuUs: number | undefined; othersShare: number }
type Rounds = { this: Figures[]; other: Figures[] }
export type Tree = Pick<Place, "target" | "processes"> & { settle(): Promise<unknown> }
type Trees = { this: Tree; other: Tree }
type Measure = (which: keyof Trees, load: Load) => Promise<Figures>

/**
 * Measures this tree and another commit's in turn. Both run all the time, and one at a time is loaded. The other tree is checked
 * out beside and uses this tree's packages.
 */
export function measureTrees(
  against: string,
  plan: TreesPlan,
  say: (line: string) => void,
): Promise<TreesRun> {
  return inOwnDirectory(async (context) => {
    const { directory, interruption, started } = context
    const machine = describeMachine(directory)
    const { folder, commit } = await checkOut(against, context)
    const load = started(await startChild(new URL("../load/main.ts", import.meta.url)))
    const anchors = started(await startChild(new URL("../anchors.ts", import.meta.url)))
    const trees: Trees = {
      this: await startTree({ tree: ROOT, directory: join(directory, "this") }, context),
      other: await startTree({ tree: folder, directory: join(directory, "other") }, context),
    }
    const measure: Measure = (which, window) => {
      interruption.check()
      return measureWindow(load, trees[which], `${which} ${window.name}`, window.signs, plan.seconds)
    }
    const drift = await watchDrift(anchors, ANCHOR_SECONDS)
    for (const which of ["this", "other"] as const) {
      say(`warms up ${which === "this" ? "this tree" : commit}`)
      await warmUp(plan, (window) => measure(which, window))
      await trees[which].settle()
    }
    const rounds = await measureRounds(plan, measure, say)
    const all = Object.values(rounds).flatMap((figures) => [...figures.this, ...figures.other])
    return {
      machine,
      commit,
      drift: await drift(),
      // In a window of a second ten milliseconds are half a percent, so single windows say little.
      othersShare: spreadOf(all.map(({ othersShare }) => othersShare))?.median ?? 0,
      loads: Object.entries(rounds).map(([name, figures]) => compare(name, figures)),
    }
  })
}

async function measureWindow(
  load: Child,
  { target, processes }: Tree,
  series: string,
  signs: Signs,
  seconds: number,
): Promise<Figures> {
  const measured = await measureLoad(load, { target: { ...target, signs }, processes }, series, seconds)
  const { api, signer, postgres } = measured.cpuUs ?? {}
  return {
    perSecond: measured.perSecond ?? Number.NaN,
    p50Ms: measured.p50Ms ?? Number.NaN,
    cpuUs: api === undefined ? undefined : api + (signer ?? 0) + (postgres ?? 0),
    othersShare: measured.othersShare ?? 0,
  }
}

async function measureRounds(
  plan: TreesPlan,
  measure: Measure,
  say: (line: string) => void,
): Promise<Record<string, Rounds>> {
  const rounds: Record<string, Rounds> = {}
  for (let round = 0; round < plan.rounds; round++) {
    say(`round ${round + 1} of ${plan.rounds}`)
    for (const window of LOADS) {
      const figures = (rounds[window.name] ??= { this: [], other: [] })
      // The second tree finds a warmer machine, so they take turns.
      const order = round % 2 === 0 ? (["this", "other"] as const) : (["other", "this"] as const)
      for (const which of order) {
        await pause(PAUSE_MS)
        figures[which].push(await measure(which, window))
      }
    }
  }
  return rounds
}

/** Lets what a window left behind come to an end. */
const PAUSE_MS = 100
const ANCHOR_SECONDS = 2

async function warmUp(plan: TreesPlan, measure: (load: Load) => Promise<Figures>): Promise<void> {
  for (let requests = 0; requests < plan.warmUp; ) {
    for (const load of LOADS.slice(-3)) requests += (await measure(load)).perSecond * plan.seconds
  }
}

/** Checks a commit out beside this tree, whose packages it uses. */
export async function checkOut(
  against: string,
  { directory, stops }: RunContext,
): Promise<{ folder: string; commit: string }> {
  const commit = await git("rev-parse", "--short", "--verify", `${against}^{commit}`)
  const folder = join(directory, "tree")
  await git("worktree", "add", "--detach", folder, commit)
  stops.push(() => git("worktree", "remove", "--force", folder))
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"))
  return { folder, commit }
}

export async function startTree(settings: TreeSettings, { started, stops }: RunContext): Promise<Tree> {
  const child: Child = started(await startChild(new URL("tree-child.ts", import.meta.url), settings))
  const ask = (question: TreeQuestion) => child.ask(question)
  stops.push(() => ask({ ask: "stop" }))
  const { target, processes } = (await ask({ ask: "start" })) as StartedTree
  return { target, processes, settle: () => ask({ ask: "settle" }) }
}

async function git(...words: string[]): Promise<string> {
  const { stdout } = await execute("git", words, { cwd: ROOT })
  return stdout.trim()
}

function compare(name: string, figures: Rounds): Compared {
  const ratios = (read: (one: Figures) => number | undefined) =>
    spreadOf(
      figures.this.map(
        (one, index) => (read(one) ?? Number.NaN) / (read(figures.other[index] as Figures) ?? Number.NaN),
      ),
    )
  const known = (spread: Spread | undefined): Spread => {
    if (spread === undefined) throw new Error(`${name}: nothing was measured`)
    return spread
  }
  return {
    name,
    perSecond: known(spreadOf(figures.this.map(({ perSecond }) => perSecond))),
    otherPerSecond: known(spreadOf(figures.other.map(({ perSecond }) => perSecond))),
    rate: known(ratios(({ perSecond }) => perSecond)),
    p50: known(ratios(({ p50Ms }) => p50Ms)),
    cpu: ratios(({ cpuUs }) => cpuUs),
  }
}
