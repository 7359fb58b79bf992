import { CredentialType } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { MailedKeyUse } from "../../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import type { Activity, ActivityContext } from "../../activities/activity.ts"
import { requireRecovery } from "./email-recovery.ts"
import { checkMailRequest as check, mailKey, type MailRequest, requireAddressee } from "./mailed-key.ts"

const needs = ["credential", "loginMfa", "mailedKey", "random", "session", "settings"] as const

export const initUserEmailRecovery: Activity<"initUserEmailRecovery", typeof needs> = { needs, check, run }
export const initUserEmailRecoveryV2: Activity<"initUserEmailRecovery", typeof needs, "V2"> = {
  needs,
  check,
  run,
}

const KIND = {
  type: CredentialType.RECOVER_USER_KEY_P256,
  label: "User Recovery",
  use: MailedKeyUse.RECOVERY,
} as const

/** Mails a recovery key, with which recover_user adds a passkey. @throws EMAIL_RECOVERY_DISABLED, the codes of requireAddressee and of mailKey */
function run(request: MailRequest, context: ActivityContext<typeof needs>) {
  const user = requireAddressee(request, context)
  requireRecovery(user, context)
  const { userId } = mailKey(user, request, KIND, context)
  return { userId }
}
