import { FeatureName, FeatureNameSchema } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { User } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { featureOf } from "../../../core/organization/organization.ts"
import { refuse } from "../../../core/refusal.ts"
import type { ActivityContext } from "../../activities/activity.ts"

/**
 * Recovery is off until the organization switches it on; a sub-organization begins with it. Root users of a top-level
 * organization have a switch of their own: who reads their mails would govern all its sub-organizations.
 * @throws EMAIL_RECOVERY_DISABLED
 */
export function requireRecovery({ userId }: User, { organization }: ActivityContext): void {
  const { parentId, rootQuorum } = organization.document
  const isTopRoot = parentId === "" && rootQuorum?.userIds.includes(userId) === true
  const feature = isTopRoot ? FeatureName.ROOT_USER_EMAIL_RECOVERY : FeatureName.EMAIL_RECOVERY
  if (featureOf(organization.document, feature) !== undefined) return
  const name = FeatureNameSchema.value[feature]?.name
  const sentence = `EMAIL_RECOVERY disallowed: recovery by mail of this user is off in this organization; set ${name} with set_organization_feature`
  throw refuse("EMAIL_RECOVERY_DISABLED", sentence, { field: "type" })
}
