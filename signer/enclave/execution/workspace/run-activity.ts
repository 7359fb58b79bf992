import { create } from "@bufbuild/protobuf"
import type { ActivityEntry } from "../../../../proto/catalog.ts"
import { type Result, ResultSchema } from "../../../../proto/gen/countersign/api/v1/activities_pb.ts"
import type { SignedTransaction } from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { refuse } from "../../../core/refusal.ts"
import { inSlices, isSteps, type Steps } from "../../../core/turns/steps.ts"
import type { AnyActivity } from "../../activities/activity.ts"
import type { PowerName } from "../../activities/context.ts"
import { activities } from "../../modules/index.ts"
import type { ExecutionDeps } from "../state/deps.ts"
import type { StampedRequest } from "../state/request.ts"
import { Changes } from "./changes.ts"
import { contextOf } from "./context.ts"
import { createdOrganizations, type CreatedOrganization, newVersion, type NewVersion } from "./new-version.ts"
import { type RunContext, type RunnableRequest, type Submitter, Workspace } from "./workspace.ts"

/** One array, so that all activities without powers share a class of contexts. */
const NO_NEEDS: readonly PowerName[] = []

/** The effects of an activity that ran. None of them is stored yet. */
export type ActivityEffects = {
  result: Result
  /** Undefined: the document is unchanged. */
  version: NewVersion | undefined
  /** Undefined: the activity touched neither records nor rows. */
  changes: Changes | undefined
  created: readonly CreatedOrganization[]
  /** Transactions to be broadcast. */
  signed: readonly SignedTransaction[]
}

/** @throws ACTIVITY_TYPE_NOT_SERVED */
export function requireServed(activity: ActivityEntry): AnyActivity {
  const served = activities.get(activity.type)
  if (served !== undefined) return served
  const sentence = `${activity.path} is not served by this release`
  throw refuse("ACTIVITY_TYPE_NOT_SERVED", sentence, { field: "type" })
}

/**
 * Runs an allowed activity for its submitter, and lets other orders have
 * their turn if it takes long. A refusal leaves no trace.
 */
export function runActivity(
  request: RunnableRequest,
  submitter: Submitter,
  context: RunContext,
  deps: ExecutionDeps,
): Promise<ActivityEffects> {
  const steps = runInSteps(request, submitter, context, deps)
  return inSlices(steps, context.organization.id, deps.turns)
}

/** Refuses parameters that can never be executed. @throws ACTIVITY_TYPE_NOT_SERVED, the codes of the activity's check */
export function* checkInSteps(
  activity: ActivityEntry,
  parameters: StampedRequest["parameters"],
): Steps<void> {
  const checked = requireServed(activity).check?.(parameters as never)
  if (isSteps(checked)) yield* checked
}

function* runInSteps(
  request: RunnableRequest,
  submitter: Submitter,
  context: RunContext,
  deps: ExecutionDeps,
): Steps<ActivityEffects> {
  const { activity, parameters } = request
  const { needs = NO_NEEDS, run } = requireServed(activity)
  const workspace = new Workspace(request, submitter, context, deps)
  yield* checkInSteps(activity, parameters)
  const ran = run(parameters as never, contextOf(workspace, needs) as never)
  const value = isSteps(ran) ? yield* ran : ran
  const field = activity.resultField
  if (field === undefined) throw new Error(`${activity.type} declares no result`)
  const result = create(ResultSchema, { result: { case: field.localName, value } } as never)
  const version = newVersion(workspace)
  const { changes } = workspace.made
  const created = createdOrganizations(workspace)
  return { result, version, changes, created, signed: workspace.broadcasts }
}
