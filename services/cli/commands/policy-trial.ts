import { requireActivityType } from "../../terminal-client/activities/type.ts"
import { findActivity, listActivities } from "../../terminal-client/activities/find.ts"
import { contextOf } from "../../terminal-client/activities/context.ts"
import { lineOf, requestInList } from "../../terminal-client/activities/read.ts"
import { query } from "../../terminal-client/api-client.ts"
import type { Stamping } from "../../terminal-client/changes/stamping.ts"
import { commandText, shownId } from "../../../signer/core/command-text.ts"
import { counted } from "../../../signer/core/counted.ts"
import { CliError, ExitCode, usage } from "../../terminal-client/exit.ts"
import { readObject } from "../../terminal-client/json.ts"
import { Directory } from "../../terminal-client/names/resolve.ts"
import { onInterrupt } from "../output/interrupt.ts"
import { openProgress } from "../output/progress.ts"
import { type Expression, readPolicyFile } from "../policies/read-file.ts"
import { withIds } from "../policies/references.ts"
import { printEither, printResult, type Terminal } from "../../terminal-client/terminal.ts"
import { decisionWords } from "../../dashboard/words/outcomes.ts"
import { inLine } from "../../terminal-client/activities/state.ts"
import { linesOfSimulation, type Simulated } from "./activity.ts"

export type SimulateOptions = {
  type: string
  parameters: string
  by?: string
  approver?: readonly string[]
  file?: string
  onlyFile?: boolean
  json?: boolean
}
export type ReplayOptions = { limit?: string; after?: string; json?: boolean }

/** Prints how the policies, and drafts of a file, would decide a request that is not sent. @throws {CliError} usage */
export async function simulate(options: SimulateOptions, stamping: Stamping): Promise<void> {
  const { terminal } = stamping
  const directory = new Directory(stamping)
  const voter = async (name: string) => ({ userId: await directory.idOf("user", name) })
  const type = requireActivityType("--type", options.type)
  const request = {
    activity: { type, parameters: readObject(options.parameters, "--parameters") },
    ...(options.by !== undefined && { submitter: await voter(options.by) }),
    approvers: await Promise.all((options.approver ?? []).map(voter)),
    ...(options.file !== undefined && { draftPolicies: await draftsOf(options.file, directory, terminal) }),
    ...(options.onlyFile && { onlyDrafts: true }),
  }
  const simulated = await askSimulation(stamping, request)
  printEither(terminal, options, simulated, linesOfSimulation(simulated))
}

type Change = { activityId: string; fingerprint: string; before: string; after: string; what: string }

/** Prints which recent activities the policies of a file would decide otherwise. @throws {CliError} usage */
export async function replay(file: string, options: ReplayOptions, stamping: Stamping): Promise<void> {
  const { limit = "50", json = false } = options
  const { terminal } = stamping
  if (!/^[1-9]\d{0,3}$/.test(limit)) throw usage(`--limit ${limit}: not a number from 1 to 9999`)
  const directory = new Directory(stamping)
  const draftPolicies = await draftsOf(file, directory, terminal)
  const after = options.after === undefined ? undefined : (await findActivity(options.after, {}, stamping)).id
  const activities = await listActivities({ limit: Number(limit), ...(after && { after }) }, stamping)
  const requests = new Map(activities.map((activity) => [activity.id, requestInList(activity)]))
  const context = await contextOf(
    [...requests.values()].filter((request) => request !== undefined),
    stamping,
  )
  const changed: Change[] = []
  let [looked, replayed] = [0, 0]
  const progress = openProgress({ noun: "activities", total: activities.length }, terminal)
  const stopListening = onInterrupt(() => {
    progress.clear()
    const last = activities[looked - 1]?.id ?? after
    if (json) printResult(terminal, { replayed, changed, ...(last && { resumeAfter: last }) }, { json })
    const rest = last === undefined ? "" : commandText` --after ${shownId(last, "ID")}`
    const left = String(Number(limit) - looked)
    terminal.log(
      commandText`stopped; to continue: npx countersign policy replay ${file} --limit ${left}` + rest,
    )
  })
  try {
    for (const activity of activities) {
      const outcomes = await outcomesOf(activity.id, draftPolicies, stamping)
      looked += 1
      progress.advance()
      if (outcomes === undefined) continue
      replayed += 1
      if (outcomes.before === outcomes.after) continue
      const { id: activityId, fingerprint } = activity
      const change = {
        activityId,
        fingerprint,
        ...outcomes,
        what: lineOf(activity, requests.get(activity.id), context),
      }
      changed.push(change)
      if (json) continue
      progress.clear()
      terminal.print(lineOfChange(change))
    }
  } finally {
    stopListening()
    progress.clear()
  }
  printEither(terminal, { json }, { replayed, changed }, [
    `${changed.length} of ${counted(replayed, "recent activity", "recent activities")} would be decided otherwise`,
  ])
}

function lineOfChange({ fingerprint, before, after, what }: Change): string {
  return `${fingerprint.slice(7, 15)}  ${inLine(decisionWords(before)[1])} -> ${inLine(decisionWords(after)[1])}  ${what}`
}

/** Undefined: the activity cannot be simulated any more, or policies do not apply to it. */
async function outcomesOf(
  activityId: string,
  draftPolicies: readonly object[],
  stamping: Stamping,
): Promise<{ before: string; after: string } | undefined> {
  const before = await outcome(stamping, { activityId })
  const after = await outcome(stamping, { activityId, draftPolicies })
  return before === undefined || after === undefined ? undefined : { before, after }
}

/** Undefined: the activity cannot be simulated any more, or policies do not apply to it. */
async function outcome(stamping: Stamping, request: object): Promise<string | undefined> {
  try {
    return (await askSimulation(stamping, request)).outcome
  } catch (error) {
    if (error instanceof CliError && error.code === ExitCode.refused) return undefined
    throw error
  }
}

async function askSimulation(stamping: Stamping, request: object): Promise<Simulated> {
  return query<Simulated>(stamping, "simulate_policies", request)
}

/** Policies of a file as drafts: names in their expressions stand for ids of the organization. */
async function draftsOf(file: string, directory: Directory, { log }: Terminal): Promise<object[]> {
  const { policies, placeOf } = await readPolicyFile(file)
  const drafts: object[] = []
  for (const [index, { policyName, effect, condition, consensus, time }] of policies.entries()) {
    const expressions = {
      ...(condition && { condition }),
      ...(consensus && { consensus }),
      ...(time && { time }),
    }
    const expanded = await withIds(expressions, directory, log, (member) =>
      placeOf(index, member as Expression),
    )
    drafts.push({ policyName, effect, ...expanded })
  }
  return drafts
}
