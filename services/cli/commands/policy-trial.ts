import { listActivities } from "../activities/find.ts"
import { namesOf, readActivity } from "../activities/read.ts"
import { post } from "../api-client.ts"
import type { Stamping } from "../changes/stamping.ts"
import { CliError, ExitCode } from "../exit.ts"
import { Directory } from "../names/resolve.ts"
import { readPolicyFile } from "../policies/test-file.ts"
import { printResult } from "../terminal.ts"
import { linesOfSimulation, outcomeOf, type Simulated } from "./activity.ts"

export type SimulateOptions = {
  type: string
  parameters: string
  by?: string
  approver?: readonly string[]
  file?: string
  onlyFile?: boolean
  json?: boolean
}
export type ReplayOptions = { limit?: string; json?: boolean }

/** Prints how the policies, and drafts of a file, would decide a request that is not sent. @throws {CliError} usage */
export async function simulate(options: SimulateOptions, stamping: Stamping): Promise<void> {
  const { client, organizationId, terminal } = stamping
  const directory = new Directory(client, organizationId)
  const voter = async (name: string) => ({ userId: await directory.idOf("user", name) })
  const type = options.type.toUpperCase().replace(/^(?!ACTIVITY_TYPE_)/, "ACTIVITY_TYPE_")
  const request = {
    organizationId,
    activity: { type, parameters: readObject(options.parameters) },
    ...(options.by !== undefined && { submitter: await voter(options.by) }),
    approvers: await Promise.all((options.approver ?? []).map(voter)),
    ...(options.file !== undefined && { draftPolicies: await draftsOf(options.file) }),
    ...(options.onlyFile && { onlyDrafts: true }),
  }
  const simulated = await askSimulation(stamping, request)
  if (options.json) printResult(terminal, simulated, options)
  else linesOfSimulation(simulated).forEach(terminal.print)
}

/** Prints which recent activities the policies of a file would decide otherwise. @throws {CliError} usage */
export async function replay(
  file: string,
  { limit = "50", json }: ReplayOptions,
  stamping: Stamping,
): Promise<void> {
  const { organizationId, terminal } = stamping
  if (!/^[1-9]\d{0,3}$/.test(limit))
    throw new CliError(ExitCode.usage, `--limit ${limit}: not a number from 1 to 9999`)
  const draftPolicies = await draftsOf(file)
  const activities = await listActivities({ limit: Number(limit) }, stamping)
  const nameOf = await namesOf(stamping)
  const changed: { activityId: string; fingerprint: string; before: string; after: string; what: string }[] =
    []
  let count = 0
  for (const activity of activities) {
    const before = await outcome(stamping, { organizationId, activityId: activity.id })
    const after = await outcome(stamping, { organizationId, activityId: activity.id, draftPolicies })
    if (before === undefined || after === undefined) continue
    count += 1
    if (before === after) continue
    const what = readActivity(activity, nameOf).sentence
    changed.push({ activityId: activity.id, fingerprint: activity.fingerprint, before, after, what })
    if (!json)
      terminal.print(
        `${activity.fingerprint.slice(7, 15)}  ${outcomeOf(before)} -> ${outcomeOf(after)}  ${what}`,
      )
  }
  if (json) printResult(terminal, { replayed: count, changed }, { json })
  else terminal.print(`${changed.length} of ${count} recent activities would be decided otherwise`)
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

async function askSimulation({ client }: Stamping, request: object): Promise<Simulated> {
  return (await post(client, "/public/v1/query/simulate_policies", JSON.stringify(request))) as Simulated
}

async function draftsOf(file: string): Promise<object[]> {
  const { policies } = await readPolicyFile(file)
  return policies.map(({ policyName, effect, condition, consensus, time }) => ({
    policyName,
    effect,
    ...(condition && { condition }),
    ...(consensus && { consensus }),
    ...(time && { time }),
  }))
}

function readObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value
  } catch (cause) {
    throw new CliError(ExitCode.usage, `--parameters: ${(cause as Error).message}`, { cause })
  }
  throw new CliError(ExitCode.usage, "--parameters: not a JSON object")
}
