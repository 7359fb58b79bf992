import { AuthenticationType } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { PLAIN_SESSION } from "../../../core/policy/decision/mfa.ts"
import { requireSessionProfile } from "./session-profiles.ts"
import type { ActivityContext } from "../../activities/activity.ts"

type Steps = readonly { readonly any: readonly { type: AuthenticationType; id?: string | undefined }[] }[]

/** Refuses methods that name no session profile: no session could ever meet them. @throws RESOURCE_UNKNOWN */
export function requireSessionProfiles(steps: Steps, { settings }: ActivityContext<["settings"]>): void {
  for (const [index, { any }] of steps.entries()) {
    for (const [at, { type, id }] of any.entries()) {
      if (type !== AuthenticationType.SESSION || id === undefined || id === PLAIN_SESSION) continue
      const field = `parameters.requiredAuthenticationMethods[${index}].any[${at}].id`
      requireSessionProfile(settings.governing, id, field)
    }
  }
}
