import { FeatureName } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { WalletParams } from "../../../proto/gen/countersign/api/v1/params_pb.ts"
import { setFeature } from "../organization/features.ts"
import { requireTopLevel } from "../organization/family.ts"
import { setFirstRootQuorum } from "../organization/root-quorum.ts"
import { refuse } from "../../core/refusal.ts"
import type { Activity, ActivityContext } from "./activity.ts"
import { bearUser, type UserParameters } from "./shared/users.ts"
import { bearWallet } from "./create-wallet.ts"
import { DEFAULT_MNEMONIC_LENGTH } from "../keys/mnemonic.ts"
import { refuseVerificationToken } from "./shared/verification-token.ts"

/** A sub-organization as the requests describe it, in any of their versions. */
type SubOrganization = {
  subOrganizationName: string
  rootUsers: readonly UserParameters[]
  rootQuorumThreshold: number
  wallet?: WalletParams | undefined
  disableEmailRecovery?: boolean | undefined
  disableEmailAuth?: boolean | undefined
  disableSmsAuth?: boolean | undefined
  disableOtpEmailAuth?: boolean | undefined
  verificationToken?: string | undefined
  clientSignature?: unknown
}

export const createSubOrganizationV4: Activity<
  "createSubOrganizationIntentV4",
  "createSubOrganizationResultV4"
> = { run: found }

export const createSubOrganizationV5: Activity<
  "createSubOrganizationIntentV5",
  "createSubOrganizationResultV5"
> = { run: found }

export const createSubOrganizationV6: Activity<
  "createSubOrganizationIntentV6",
  "createSubOrganizationResultV6"
> = { run: found }

export const createSubOrganizationV7: Activity<
  "createSubOrganizationIntentV7",
  "createSubOrganizationResultV7"
> = { run: found }

export const createSubOrganizationV8: Activity<
  "createSubOrganizationIntentV8",
  "createSubOrganizationResultV8"
> = { run: found }

/**
 * Founds a sub-organization: its root users are its root quorum, its parent's word ends here.
 *
 * @throws ACTIVITY_CALLER_INVALID, VERIFICATION_TOKEN_NOT_SERVED, EVIDENCE_NOT_SERVED, and what users, quorum and wallet throw
 */
function found(parameters: SubOrganization, context: ActivityContext) {
  requireTopLevel(context.organization, "create_sub_organization")
  requireNoEvidence(parameters)
  const child = context.bear(parameters.subOrganizationName)
  const at = "parameters.rootUsers"
  const rootUserIds = parameters.rootUsers.map(
    (user, index) => bearUser(user, child, `${at}[${index}]`).userId,
  )
  const quorum = { threshold: parameters.rootQuorumThreshold, userIds: rootUserIds }
  const fields = { threshold: "parameters.rootQuorumThreshold", userIds: at }
  setFirstRootQuorum(child.organization, quorum, fields)
  setDefaultFeatures(parameters, child)
  const { wallet } = parameters
  return {
    subOrganizationId: child.organization.id,
    rootUserIds,
    ...(wallet && { wallet: bearFirstWallet(wallet, child) }),
  }
}

/** Proofs of a contact are not checked yet, and what is not checked must not look as if it were. */
function requireNoEvidence({ verificationToken, clientSignature }: SubOrganization): void {
  refuseVerificationToken(verificationToken)
  if (clientSignature === undefined) return
  const sentence =
    "this release cannot check a clientSignature; leave it out, and the contact is stored as unproven"
  throw refuse("EVIDENCE_NOT_SERVED", sentence, { field: "parameters.clientSignature" })
}

/** The ways to log in without a key are on in a sub-organization unless its founder switched them off. */
function setDefaultFeatures(parameters: SubOrganization, { organization }: ActivityContext): void {
  const off: readonly (readonly [FeatureName, boolean | undefined])[] = [
    [FeatureName.EMAIL_RECOVERY, parameters.disableEmailRecovery],
    [FeatureName.EMAIL_AUTH, parameters.disableEmailAuth],
    [FeatureName.SMS_AUTH, parameters.disableSmsAuth],
    [FeatureName.OTP_EMAIL_AUTH, parameters.disableOtpEmailAuth],
  ]
  for (const [name, isOff] of off) if (!isOff) setFeature(organization, name, "true", "parameters")
}

function bearFirstWallet({ walletName, accounts, mnemonicLength }: WalletParams, child: ActivityContext) {
  return bearWallet(
    walletName,
    accounts,
    mnemonicLength ?? DEFAULT_MNEMONIC_LENGTH,
    child,
    "parameters.wallet",
  )
}
