import { FeatureName } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { WalletParams } from "../../../proto/gen/countersign/api/v1/params_pb.ts"
import { refuse } from "../../core/refusal.ts"
import { requireTopLevel } from "../organization/lifecycle.ts"
import { storeFeature } from "../organization/features.ts"
import { setRootQuorum } from "../organization/root-quorum.ts"
import type { ActivityContext, LongActivity } from "./activity.ts"
import { createUsers, idsOf, refuseVerificationToken, type UserParameters } from "./shared/users.ts"
import { createWallet } from "./shared/wallets.ts"

/** A sub-organization as requests of any version describe it. */
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

export const createSubOrganizationV4: LongActivity<"createSubOrganization", "V4", "V4"> = { run }
export const createSubOrganizationV5: LongActivity<"createSubOrganization", "V5", "V5"> = { run }
export const createSubOrganizationV6: LongActivity<"createSubOrganization", "V6", "V6"> = { run }
export const createSubOrganizationV7: LongActivity<"createSubOrganization", "V7", "V7"> = { run }
export const createSubOrganizationV8: LongActivity<"createSubOrganization", "V8", "V8"> = { run }

/**
 * Creates a sub-organization with the given root users as its root quorum; the parent has no rights in it.
 * @throws ACTIVITY_CALLER_INVALID, VERIFICATION_TOKEN_NOT_SERVED, EVIDENCE_NOT_SERVED, QUORUM_INVALID, and the codes of
 *   `createUser` and `createWallet`
 */
function* run(parameters: SubOrganization, context: ActivityContext) {
  requireTopLevel(context.organization, "create_sub_organization")
  refuseEvidence(parameters)
  const child = context.createSubOrganization(parameters.subOrganizationName)
  const field = "parameters.rootUsers"
  const rootUserIds = idsOf(yield* createUsers(parameters.rootUsers, child, field))
  const quorum = { threshold: parameters.rootQuorumThreshold, userIds: rootUserIds }
  const fields = { threshold: "parameters.rootQuorumThreshold", userIds: field }
  setRootQuorum(child.organization, quorum, fields)
  setDefaultFeatures(parameters, child)
  const { wallet } = parameters
  const created = { subOrganizationId: child.organization.id, rootUserIds }
  if (wallet === undefined) return created
  return { ...created, wallet: yield* createWallet(wallet, child, "parameters.wallet") }
}

/** Refuses proofs of a contact: this release does not check them, and must not accept them unchecked. */
function refuseEvidence({ verificationToken, clientSignature }: SubOrganization): void {
  refuseVerificationToken(verificationToken)
  if (clientSignature === undefined) return
  const sentence =
    "this release cannot check a clientSignature; leave it out, and the contact is stored as unproven"
  throw refuse("EVIDENCE_NOT_SERVED", sentence, { field: "parameters.clientSignature" })
}

/** Switches on the logins without a key, except those that the request disables. */
function setDefaultFeatures(parameters: SubOrganization, { organization }: ActivityContext): void {
  const features: readonly (readonly [FeatureName, boolean | undefined])[] = [
    [FeatureName.EMAIL_RECOVERY, parameters.disableEmailRecovery],
    [FeatureName.EMAIL_AUTH, parameters.disableEmailAuth],
    [FeatureName.SMS_AUTH, parameters.disableSmsAuth],
    [FeatureName.OTP_EMAIL_AUTH, parameters.disableOtpEmailAuth],
  ]
  for (const [name, isDisabled] of features) {
    if (!isDisabled) storeFeature(organization, name, "true")
  }
}
