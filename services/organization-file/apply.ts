import { requireOwnActivity } from "../terminal-client/activities/own-activity.ts"
import { stampedBody } from "../terminal-client/activities/read.ts"
import {
  type ActivityJson,
  activityBody,
  type ApiClient,
  post,
  whyUnfinished,
} from "../terminal-client/api-client.ts"
import { forget, keep, keptFile, readKept } from "../terminal-client/changes/kept-requests.ts"
import { CliError, ExitCode } from "../terminal-client/exit.ts"
import type { OrganizationFile } from "./file.ts"
import { type LiveOrganization, readLive } from "./live.ts"
import { contextOf, type PlannedActivity, type Secrets } from "./plan/change.ts"
import { type Plan, planOf } from "./plan/plan.ts"
import { ShownPlan } from "./shown-plan.ts"
import { findWaiting, listWaiting, type WaitingActivity } from "./waiting.ts"
import { titleOf } from "./words.ts"

export type Applying = {
  client: ApiClient
  organizationId: string
  file: OrganizationFile
  prune: boolean
  secrets: Secrets
  /** True to send changes again that were refused or rejected within the hour, as new requests. */
  again: boolean
  /** Folder of requests that are not completed, as of every other command. */
  requestsFolder: string
  /** Called for each activity that is complete or waits. */
  report: (line: string) => void
}

/** An activity of the plan and its status now. */
export type Sent = { title: string; activityId: string; fingerprint: string; status: string }

export type Applied = { completed: Sent[]; waiting: Sent[]; unfinished: CliError[] }

/**
 * Sends the activities of the plan, stage by stage, and reads the organization again after each round. Only bodies are
 * remembered: finished changes are read from the organization, and waiting ones from its list of activities.
 *
 * @param plan what was shown, of `live`
 * @throws {CliError} refused, with the change; unreachable; verificationFailed: the API shows what was not in the plan. The
 *   same command continues.
 */
export async function applyPlan(applying: Applying, live: LiveOrganization, plan: Plan): Promise<Applied> {
  const { file, prune, secrets } = applying
  const allowlists = file.ipAllowlists !== undefined
  const completed: Sent[] = []
  const doneFiles = new Set<string>()
  const shown = new ShownPlan(plan)
  for (let now = live; ; now = await readLive(applying, { allowlists })) {
    const { activities } = planOf(contextOf(file, now, prune, secrets))
    shown.require(activities)
    const stage = activities[0]?.stage
    const ready = activities.filter((planned) => planned.stage === stage)
    if (ready.length === 0) return { completed, waiting: [], unfinished: [] }
    const round = await sendRound(ready, applying, doneFiles)
    completed.push(...round.completed)
    if (round.waiting.length > 0) return { ...round, completed }
    if (round.completed.length === 0) throw stuck(ready)
  }
}

async function sendRound(
  activities: readonly PlannedActivity[],
  applying: Applying,
  doneFiles: Set<string>,
): Promise<Applied> {
  const { report } = applying
  const types = activities.filter(({ parameters }) => parameters !== undefined).map(({ type }) => type)
  const waitingNow = await listWaiting(applying, types)
  const round: Applied = { completed: [], waiting: [], unfinished: [] }
  for (const planned of activities) {
    if (planned.parameters === undefined) continue
    const activity = await sendPlanned(
      { ...planned, parameters: planned.parameters },
      waitingNow,
      applying,
      doneFiles,
    )
    const title = titlesOf(planned)
    const { id: activityId, fingerprint, status } = activity
    const unfinished = whyUnfinished(activity)
    const sent = { title, activityId, fingerprint, status }
    if (unfinished === undefined) {
      round.completed.push(sent)
      report(`done    ${title}`)
    } else {
      round.waiting.push(sent)
      round.unfinished.push(unfinished)
      report(`waiting ${title}  ${fingerprint}`)
    }
  }
  return round
}

type ReadyActivity = PlannedActivity & { parameters: object }

/**
 * Submits an activity of the plan, unless the same one waits already.
 *
 * @param doneFiles files of requests that this command completed: the organization has to show their changes
 */
async function sendPlanned(
  planned: ReadyActivity,
  waiting: readonly WaitingActivity[],
  { client, organizationId, again, requestsFolder }: Applying,
  doneFiles: Set<string>,
): Promise<ActivityJson> {
  const sealed = (planned.sealed ?? []).map(({ member }) => member)
  const found = findWaiting(waiting, planned.type, planned.parameters, sealed)
  if (found !== undefined) {
    // Approvers get its fingerprint, so its body must be this change.
    stampedBody(found)
    return found
  }
  const { type, parameters } = planned
  const publicKey = client.key?.publicKey ?? ""
  const requestFile = keptFile(requestsFolder, {
    organizationId,
    publicKey,
    type,
    parameters: identityOf(planned),
  })
  if (doneFiles.has(requestFile)) throw withoutEffect(planned)
  const kept = again ? undefined : await readKept(requestFile, Date.now())
  const body = kept?.body ?? activityBody(type, organizationId, parameters)
  if (kept === undefined) await keep(requestsFolder, requestFile, { body, sentAtMs: Date.now() }, Date.now())
  const activity = await submitAs(planned, client, body)
  const isOpen = whyUnfinished(activity)?.code === ExitCode.waitsForApproval
  if (activity.status === "ACTIVITY_STATUS_COMPLETED") {
    await forget(requestFile)
    // A kept body can belong to an earlier change that was undone since: then the next round sends a new one.
    if (kept === undefined) doneFiles.add(requestFile)
  } else if (!isOpen) throw inContext(planned, whyUnfinished(activity))
  return activity
}

/** The parameters by which a kept body is found: those of the activity, but sealed secrets by their digests. */
function identityOf({ parameters, sealed = [] }: ReadyActivity): object {
  return { ...parameters, ...Object.fromEntries(sealed.map(({ member, digest }) => [member, digest])) }
}

async function submitAs(planned: PlannedActivity, client: ApiClient, body: string): Promise<ActivityJson> {
  try {
    const { activity } = (await post(client, `/public/v1/submit/${planned.path}`, body)) as {
      activity: ActivityJson
    }
    await requireOwnActivity(activity, body)
    return activity
  } catch (error) {
    throw inContext(planned, error)
  }
}

/** The error with the change that it is about. */
function inContext(planned: PlannedActivity, error: unknown): unknown {
  if (!(error instanceof CliError)) return error
  const { code, lines, reason, reply } = error
  const hint =
    code === ExitCode.refused
      ? ["What was done before stays. The same command continues; --again sends a rejected change anew."]
      : ["The same command continues."]
  return new CliError(code, [`${titlesOf(planned)}: ${lines[0]}`, ...lines.slice(1), ...hint], {
    cause: error,
    reason,
    reply,
  })
}

/** The objects of an activity, the first ones by name. */
function titlesOf({ changes }: PlannedActivity): string {
  const titles = [...new Set(changes.map((change) => titleOf(change).replace(/ +/, " ")))]
  const shown = titles.slice(0, MAX_TITLES).join(", ")
  return titles.length > MAX_TITLES ? `${shown} and ${titles.length - MAX_TITLES} others` : shown
}

const MAX_TITLES = 5

function withoutEffect(planned: PlannedActivity): CliError {
  const sentence = `${titlesOf(planned)}: the activity completed, but the organization does not show the change`
  return new CliError(ExitCode.fault, `${sentence}. Compare the database with the signer's ledger`)
}

function stuck(activities: readonly PlannedActivity[]): CliError {
  const needs = [...new Set(activities.flatMap((planned) => planned.needs))].join(", ")
  return new CliError(
    ExitCode.fault,
    `nothing more can be sent: ${needs} does not exist. Was it deleted meanwhile?`,
  )
}
