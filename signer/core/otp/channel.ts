import { FeatureName, FeatureNameSchema, OtpType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { OrganizationDocument } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { featureOf } from "../organization/organization.ts"
import { type Refusal, refuse } from "../refusal.ts"

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
  const way = isMail ? "mail" : "text message"
  const sentence = `OTP disallowed: one-time codes by ${way} are off in this organization; set ${name} with set_organization_feature`
  throw refuse("OTP_DISABLED", sentence, { field })
}

/**
 * Refuses a code that travels in clear, or its token, if one of two organizations accepts only sealed ones: the one that it is
 * used in, or its parent. @throws OTP_SEALED_ONLY
 */
export function requirePlainCodesOn(
  documents: readonly Pick<OrganizationDocument, "features">[],
  field: string,
): void {
  if (documents.every((document) => featureOf(document, FeatureName.SEALED_OTP_ONLY) === undefined)) return
  throw sealedOnly(field)
}

function sealedOnly(field: string): Refusal {
  const sentence =
    "this organization accepts sealed codes alone: use ACTIVITY_TYPE_INIT_OTP_V3 and ACTIVITY_TYPE_VERIFY_OTP_V2"
  return refuse("OTP_SEALED_ONLY", sentence, { field })
}
