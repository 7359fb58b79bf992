import { CredentialType, OtpType } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { User } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { requireUser } from "../../organization/users.ts"
import type { Activity, ActivityContext } from "../../activities/activity.ts"
import { requireContactOwner } from "../../activities/contact-owner.ts"
import { openSealedSession, requireTarget, type SealedSessionParameters } from "./sealed-session.ts"

const needs = ["credential", "random", "session", "settings"] as const

/** Opens a session, with a key made here, for the user with an e-mail address. */
export const createReadWriteSession: Activity<"createReadWriteSession", typeof needs> = {
  needs,
  check: (parameters) => void requireTarget(parameters),
  /** @throws TARGET_KEY_INVALID, RESOURCE_UNKNOWN, CONTACT_AMBIGUOUS, LOGIN_LAPSED, SESSION_SCOPE_DENIED */
  run(parameters, context) {
    const named = {
      channel: OtpType.EMAIL,
      contact: parameters.email,
      field: "parameters.email",
      name: "this e-mail address",
      remedy: "name one with ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION_V2",
    }
    return open(requireContactOwner(named, context), parameters, context)
  },
}

/** Opens a session, with a key made here, for the user who stamps or for another. */
export const createReadWriteSessionV2: Activity<"createReadWriteSession", typeof needs, "V2", "V2"> = {
  needs,
  check: (parameters) => void requireTarget(parameters),
  /** @throws TARGET_KEY_INVALID, RESOURCE_UNKNOWN, LOGIN_LAPSED, SESSION_SCOPE_DENIED */
  run(parameters, context) {
    const userId = parameters.userId ?? context.userId
    return open(requireUser(context.organization, userId, "parameters.userId"), parameters, context)
  },
}

function open(user: User, parameters: SealedSessionParameters, context: ActivityContext<typeof needs>) {
  const { organization, credential } = context
  const { openedBy } = credential
  const type = CredentialType.READ_WRITE_SESSION_KEY_P256
  const opened = openSealedSession(user, parameters, { type, label: "Read Write Session", openedBy }, context)
  return {
    organizationId: organization.id,
    organizationName: organization.document.name,
    userId: user.userId,
    username: user.name,
    ...opened,
  }
}
