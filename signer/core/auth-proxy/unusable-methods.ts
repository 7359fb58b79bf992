import { FeatureName } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { OrganizationDocument } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { featureOf } from "../organization/organization.ts"

/** Ways to log in with a token of an issuer, and those whose token this service issues (OAuth 2.0). */
const TOKENS = ["google", "apple", "facebook", "oidc"]
const OAUTH2 = ["x", "discord"]

/**
 * Ways to log in that cannot work, in the words of `allowedAuthMethods`. The fetcher sends codes and reads issuers' keys;
 * codes are off until the organization switches their channel on.
 *
 * @param issuer of ID tokens that the service signs; "": it signs none
 */
export function unusableMethods(
  document: Pick<OrganizationDocument, "features">,
  { hasFetcher, issuer }: { hasFetcher: boolean; issuer: string },
): string[] {
  const isOn = (feature: FeatureName) => hasFetcher && featureOf(document, feature) !== undefined
  return [
    ...(isOn(FeatureName.OTP_EMAIL_AUTH) ? [] : ["email"]),
    ...(isOn(FeatureName.SMS_AUTH) ? [] : ["sms"]),
    ...(hasFetcher ? [] : TOKENS),
    ...(hasFetcher && issuer !== "" ? [] : OAUTH2),
  ]
}
