import { create } from "@bufbuild/protobuf"
import type { ActivityEntry } from "../../../../proto/catalog.ts"
import { type Result, ResultSchema } from "../../../../proto/gen/countersign/api/v1/activities_pb.ts"
import { refuse } from "../../../core/refusal.ts"
import { activities } from "../../activities/index.ts"
import type { AnyActivity } from "../../activities/activity.ts"
import type { CredentialOwner } from "../state/credential-owner.ts"
import type { ExecutionDeps } from "../state/deps.ts"
import type { StampedRequest } from "../state/request.ts"
import type { Changes } from "./changes.ts"
import {
  type CreatedOrganization,
  type OrganizationVersion,
  type RunContext,
  Workspace,
} from "./workspace.ts"

/** The effects of an activity that ran. None of them is stored yet. */
export type ActivityEffects = {
  result: Result
  /** Undefined: the document is unchanged. */
  version: OrganizationVersion | undefined
  /** Undefined: the activity touched neither records nor rows. */
  changes: Changes | undefined
  created: readonly CreatedOrganization[]
}

/** @throws ACTIVITY_TYPE_NOT_SERVED */
export function requireServed(activity: ActivityEntry): AnyActivity {
  const served = activities.get(activity.type)
  if (served !== undefined) return served
  const sentence = `${activity.path} is not served by this release`
  throw refuse("ACTIVITY_TYPE_NOT_SERVED", sentence, { field: "type" })
}

/**
 * Runs an allowed activity for the user who submitted it. A refusal leaves nothing behind.
 *
 * @param submission the credential that submitted it, while that counts
 */
export function runActivity(
  { activity, parameters }: Pick<StampedRequest, "activity" | "parameters">,
  userId: string,
  submission: CredentialOwner | undefined,
  context: RunContext,
  deps: ExecutionDeps,
): ActivityEffects {
  const workspace = new Workspace(userId, submission, context, deps)
  const served = requireServed(activity)
  served.check?.(parameters as never)
  const value = served.run(parameters as never, workspace)
  const field = activity.resultField
  if (field === undefined) throw new Error(`${activity.type} declares no result`)
  const result = create(ResultSchema, { result: { case: field.localName, value } } as never)
  const version = workspace.newVersion()
  return { result, version, changes: workspace.madeChanges, created: workspace.created() }
}
