import { FeatureName } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { WalletParams } from "../../../../proto/gen/countersign/api/v1/params_pb.ts"
import type {
  CreateSubOrganizationIntentV7,
  CreateSubOrganizationIntentV8,
} from "../../../../proto/gen/countersign/api/v1/intents/organization_pb.ts"
import type { VerificationToken } from "../../../core/otp/verification-token.ts"
import { requireTopLevel } from "../../organization/lifecycle.ts"
import { storeFeature } from "../../organization/features.ts"
import { setRootQuorum } from "./root-quorum.ts"
import type { ActivityContext, LongActivity } from "../../activities/activity.ts"
import { readSignUp } from "./sign-up.ts"
import { createUsers, idsOf, type UserParameters } from "../../activities/new-users.ts"
import { verifyContact } from "../../activities/verified-contact.ts"
import { createWallet } from "../../activities/new-wallets.ts"

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
}

const needs = ["subOrganization"] as const
const signUpNeeds = [...needs, "settings", "verification"] as const

export const createSubOrganizationV4: LongActivity<"createSubOrganization", typeof needs, "V4", "V4"> = {
  needs,
  run,
}
export const createSubOrganizationV5: LongActivity<"createSubOrganization", typeof needs, "V5", "V5"> = {
  needs,
  run,
}
export const createSubOrganizationV6: LongActivity<"createSubOrganization", typeof needs, "V6", "V6"> = {
  needs,
  run,
}
export const createSubOrganizationV7: LongActivity<"createSubOrganization", typeof signUpNeeds, "V7", "V7"> =
  {
    needs: signUpNeeds,
    run: (parameters, context) => signUp(parameters, "V7", context),
  }
export const createSubOrganizationV8: LongActivity<"createSubOrganization", typeof signUpNeeds, "V8", "V8"> =
  {
    needs: signUpNeeds,
    run: (parameters, context) => signUp(parameters, "V8", context),
  }

/** As run, with a token that verifies the root user's contact, if the request has one. @throws the codes of readSignUp */
function* signUp(
  parameters: CreateSubOrganizationIntentV7 | CreateSubOrganizationIntentV8,
  version: "V7" | "V8",
  context: ActivityContext<typeof signUpNeeds>,
) {
  requireTopLevel(context.organization, "create_sub_organization")
  return yield* run(parameters, context, readSignUp(parameters, version, context))
}

/**
 * Creates a sub-organization with the given root users as its root quorum; the parent has no rights in it.
 * @param token for the contact of the only root user
 * @throws ACTIVITY_CALLER_INVALID, QUORUM_INVALID, the codes of `createUser`, `verifyContact` and `createWallet`
 */
function* run(
  parameters: SubOrganization,
  context: ActivityContext<typeof needs>,
  token?: VerificationToken,
) {
  requireTopLevel(context.organization, "create_sub_organization")
  const child = context.subOrganization.create(parameters.subOrganizationName)
  const field = "parameters.rootUsers"
  const rootUsers = yield* createUsers(parameters.rootUsers, child, field)
  const [rootUser] = rootUsers
  if (token !== undefined && rootUser !== undefined) {
    const { changes } = context
    verifyContact(rootUser, token, `${field}[0]`, { organization: child.organization, changes })
  }
  const rootUserIds = idsOf(rootUsers)
  setDefaultFeatures(parameters, child)
  const quorum = { threshold: parameters.rootQuorumThreshold, userIds: rootUserIds }
  const fields = { threshold: "parameters.rootQuorumThreshold", userIds: field }
  setRootQuorum(child.organization, quorum, fields)
  const { wallet } = parameters
  const created = { subOrganizationId: child.organization.id, rootUserIds }
  if (wallet === undefined) return created
  return { ...created, wallet: yield* createWallet(wallet, child, "parameters.wallet") }
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
