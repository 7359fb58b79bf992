import { CredentialType, FeatureName } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { MailedKeyUse } from "../../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { featureOf } from "../../../core/organization/organization.ts"
import { refuse } from "../../../core/refusal.ts"
import type { Activity, ActivityContext } from "../../activities/activity.ts"
import { checkMailRequest as check, mailKey, type MailRequest, requireAddressee } from "./mailed-key.ts"

const needs = ["credential", "loginMfa", "mailedKey", "random", "session", "settings"] as const

export const emailAuth: Activity<"emailAuth", typeof needs> = { needs, check, run }
export const emailAuthV2: Activity<"emailAuth", typeof needs, "V2"> = { needs, check, run }
export const emailAuthV3: Activity<"emailAuth", typeof needs, "V3"> = { needs, check, run }

const KIND = {
  type: CredentialType.EMAIL_AUTH_KEY_P256,
  label: "Email Auth",
  use: MailedKeyUse.SESSION,
} as const

/**
 * Opens a session whose key goes to the user's mailbox, sealed to the client. The caller, often a server of the parent, opens
 * nothing without the mail. @throws EMAIL_AUTH_DISABLED, the codes of requireAddressee and of mailKey
 */
function run(request: MailRequest, context: ActivityContext<typeof needs>) {
  if (featureOf(context.organization.document, FeatureName.EMAIL_AUTH) === undefined) {
    const sentence =
      "EMAIL_AUTH disallowed: logins by a mailed key are off in this organization; set FEATURE_NAME_EMAIL_AUTH with set_organization_feature"
    throw refuse("EMAIL_AUTH_DISABLED", sentence, { field: "type" })
  }
  return mailKey(requireAddressee(request, context), request, KIND, context)
}
