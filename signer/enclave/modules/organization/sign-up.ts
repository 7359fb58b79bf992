import { toJson } from "@bufbuild/protobuf"
import {
  RootUserParamsV4Schema,
  RootUserParamsV5Schema,
  type RootUserParamsV4,
  type RootUserParamsV5,
} from "../../../../proto/gen/countersign/api/v1/params_pb.ts"
import type { VerificationToken } from "../../../core/otp/verification-token.ts"
import { refuse } from "../../../core/refusal.ts"
import type { ClientSignature } from "../../../core/stamp/client-signature.ts"
import { requireSignedSignUp, type SignedUser } from "../../../core/stamp/signed-sign-up.ts"
import type { ActivityContext } from "../../activities/activity.ts"
import { readVerificationToken, TOKEN_FIELD } from "../../activities/verified-contact.ts"

const SIGNATURE_FIELD = "parameters.clientSignature"

/** A sign-up that may bring a token for its user's contact. */
type SignUp = {
  rootUsers: readonly (RootUserParamsV4 | RootUserParamsV5)[]
  verificationToken?: string | undefined
  clientSignature?: ClientSignature | undefined
}

/**
 * The token of a sign-up; undefined: there is none, and the contact stays unproven. The token's key signed all that opens the
 * new organization: contacts and credentials of its one root user. So a party that passes the request on adds nothing.
 * @throws REQUEST_INVALID, VERIFICATION_TOKEN_INVALID, OTP_SEALED_ONLY, VERIFICATION_TOKEN_UNSEALED, SIGN_UP_USERS_UNSIGNED,
 *   CLIENT_SIGNATURE_INVALID, FETCHER_NOT_PAIRED
 */
export function readSignUp(
  { rootUsers, verificationToken, clientSignature }: SignUp,
  version: "V7" | "V8",
  context: ActivityContext<["settings", "verification"]>,
): VerificationToken | undefined {
  if (verificationToken === undefined) {
    if (clientSignature === undefined) return undefined
    const sentence = "a clientSignature is of a verificationToken: send both, or neither"
    throw refuse("REQUEST_INVALID", sentence, { field: SIGNATURE_FIELD })
  }
  const token = readVerificationToken(verificationToken, context)
  if (version === "V8" && !token.isSealed) throw unsealed()
  const [rootUser, another] = rootUsers
  if (rootUser === undefined || another !== undefined) throw tooMany()
  requireSignedSignUp(clientSignature, token, signedUser(rootUser), SIGNATURE_FIELD)
  return token
}

/** The members that a client signs, by the names that it gives them. */
function signedUser(user: RootUserParamsV4 | RootUserParamsV5): SignedUser {
  const json =
    user.$typeName === "countersign.api.v1.RootUserParamsV4"
      ? toJson(RootUserParamsV4Schema, user)
      : toJson(RootUserParamsV5Schema, user)
  const { userEmail: email, userPhoneNumber: phoneNumber } = user
  const {
    apiKeys = [],
    authenticators = [],
    oauthProviders = [],
  } = json as {
    [list in "apiKeys" | "authenticators" | "oauthProviders"]?: unknown[]
  }
  return { email, phoneNumber, apiKeys, authenticators, oauthProviders }
}

function unsealed() {
  const sentence =
    "this version signs up with tokens of sealed codes alone: use ACTIVITY_TYPE_INIT_OTP_V3 and " +
    "ACTIVITY_TYPE_VERIFY_OTP_V2, or ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7"
  return refuse("VERIFICATION_TOKEN_UNSEALED", sentence, { field: TOKEN_FIELD })
}

function tooMany() {
  const sentence =
    "a verification token signs up one root user: its signature says nothing about others; add them afterwards, or " +
    "leave the token out"
  return refuse("SIGN_UP_USERS_UNSIGNED", sentence, { field: "parameters.rootUsers" })
}
