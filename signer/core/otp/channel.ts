import { FeatureName, FeatureNameSchema, OtpType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { OrganizationDocument } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { featureOf } from "../organization/organization.ts"
import { refuse } from "../refusal.ts"

/** Codes are off until the organization switches them on; a sub-organization begins with them. @throws OTP_DISABLED */
export function requireChannelOn(
  document: Pick<OrganizationDocument, "features">,
  channel: OtpType,
  field: string,
): void {
  const isMail = channel === OtpType.EMAIL
  const feature = isMail ? FeatureName.OTP_EMAIL_AUTH : FeatureName.SMS_AUTH
  if (featureOf(document, feature) !== undefined) return
  const name = FeatureNameSchema.value[feature]?.name
  const sentence = `OTP disallowed: one-time codes by ${isMail ? "mail" : "text message"} are off in this organization; set ${name}`
  throw refuse("OTP_DISABLED", sentence, { field })
}
