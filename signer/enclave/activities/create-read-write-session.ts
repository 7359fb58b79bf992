import { CredentialType, OtpType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { User } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { compressP256, p256Point, p256PrivateKey } from "../../core/crypto/p256.ts"
import { wiping } from "../../core/crypto/secret.ts"
import { provesContact } from "../../core/otp/verification-token.ts"
import { refuse } from "../../core/refusal.ts"
import { sealCredential } from "../bundles/credential-bundle.ts"
import { readTargetKey } from "../bundles/message.ts"
import { createPrivateKey } from "../keys/private-key.ts"
import { openSession } from "../organization/credentials.ts"
import { requireUser } from "../organization/users.ts"
import type { Activity, ActivityContext } from "./activity.ts"
import { sessionTerms } from "./shared/session-terms.ts"

type Parameters = {
  targetPublicKey: string
  apiKeyName?: string | undefined
  expirationSeconds?: string | undefined
  invalidateExisting?: boolean | undefined
}

const TARGET_FIELD = "parameters.targetPublicKey"

/** Opens a session, with a key made here, for the user with an e-mail address. */
export const createReadWriteSession: Activity<"createReadWriteSession"> = {
  check: requireTarget,
  /** @throws TARGET_KEY_INVALID, RESOURCE_UNKNOWN, CONTACT_AMBIGUOUS, LOGIN_LAPSED, SESSION_SCOPE_DENIED */
  run: (parameters, context) => open(requireOwner(parameters.email, context), parameters, context),
}

/** Opens a session, with a key made here, for the user who stamps or for another. */
export const createReadWriteSessionV2: Activity<"createReadWriteSession", "V2", "V2"> = {
  check: requireTarget,
  /** @throws TARGET_KEY_INVALID, RESOURCE_UNKNOWN, LOGIN_LAPSED, SESSION_SCOPE_DENIED */
  run(parameters, context) {
    const userId = parameters.userId ?? context.userId
    return open(requireUser(context.organization, userId, "parameters.userId"), parameters, context)
  },
}

function requireTarget({ targetPublicKey }: Parameters): void {
  readTargetKey(targetPublicKey, TARGET_FIELD)
}

function open(user: User, parameters: Parameters, context: ActivityContext) {
  const { organization, nowMs, random, openedBy } = context
  const { apiKeyName, expirationSeconds, invalidateExisting = false } = parameters
  const target = readTargetKey(parameters.targetPublicKey, TARGET_FIELD)
  const terms = sessionTerms({ expirationSeconds }, openedBy, context)
  const { secret } = createPrivateKey("CURVE_P256", random)
  return wiping([secret], () => {
    const { id } = openSession(
      organization,
      user,
      {
        id: context.newId(),
        name: apiKeyName ?? `Read Write Session - ${new Date(nowMs).toISOString()}`,
        publicKey: Buffer.from(compressP256(p256Point(p256PrivateKey(secret)))).toString("hex"),
        type: CredentialType.READ_WRITE_SESSION_KEY_P256,
        openedBy,
        invalidateExisting,
        ...terms,
      },
      TARGET_FIELD,
    )
    return {
      organizationId: organization.id,
      organizationName: organization.document.name,
      userId: user.userId,
      username: user.name,
      apiKeyId: id,
      credentialBundle: sealCredential(target, secret, random),
    }
  })
}

/** @throws RESOURCE_UNKNOWN, CONTACT_AMBIGUOUS */
function requireOwner(email: string, { organization }: ActivityContext): User {
  const field = "parameters.email"
  const channel = OtpType.EMAIL
  const [user, another] = organization.document.users.filter((one) =>
    provesContact({ channel, contact: email }, channel, one.email),
  )
  if (user === undefined)
    throw refuse("RESOURCE_UNKNOWN", `no user of organization ${organization.id} has this e-mail address`, {
      field,
    })
  if (another === undefined) return user
  const sentence =
    "several users have this e-mail address: name one with ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION_V2"
  throw refuse("CONTACT_AMBIGUOUS", sentence, { field })
}
