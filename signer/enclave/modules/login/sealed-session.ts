import type { CredentialType } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { User } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { compressP256, p256Point, p256PrivateKey } from "../../../core/crypto/p256.ts"
import { wiping } from "../../../core/crypto/secret.ts"
import { sealCredential } from "../../bundles/credential-bundle.ts"
import { readTargetKey } from "../../bundles/message.ts"
import { createPrivateKey } from "../../keys/private-key.ts"
import { openSession } from "../../organization/credentials.ts"
import type { ActivityContext } from "../../activities/activity.ts"
import { sessionTerms } from "./session-terms.ts"

/** Members of requests for a session whose key the service makes. */
export type SealedSessionParameters = {
  targetPublicKey: string
  apiKeyName?: string | undefined
  expirationSeconds?: string | undefined
  invalidateExisting?: boolean | undefined
}

/** The kind of a session. `label` begins its name where the request gives none. `openedBy`: see `SessionRecord`. */
export type SessionKind = { type: CredentialType; label: string; openedBy: string }

export const TARGET_FIELD = "parameters.targetPublicKey"

/** @throws TARGET_KEY_INVALID */
export function requireTarget({ targetPublicKey }: Pick<SealedSessionParameters, "targetPublicKey">) {
  return readTargetKey(targetPublicKey, TARGET_FIELD)
}

/** A session's name and its other members, as a request gives them. @throws RESOURCE_UNKNOWN, SESSION_SCOPE_DENIED */
export function sealedSessionMembers(
  { apiKeyName, expirationSeconds, invalidateExisting = false }: SealedSessionParameters,
  { label, ...kind }: SessionKind,
  context: ActivityContext<["credential", "settings"]>,
) {
  return {
    id: context.newId(),
    name: apiKeyName ?? `${label} - ${new Date(context.nowMs).toISOString()}`,
    ...kind,
    invalidateExisting,
    ...sessionTerms({ expirationSeconds }, kind.openedBy, context),
  }
}

/**
 * Opens a session with a key made here, which leaves the signer sealed to the client's key alone.
 * @throws TARGET_KEY_INVALID, RESOURCE_UNKNOWN, SESSION_SCOPE_DENIED
 */
export function openSealedSession(
  user: User,
  parameters: SealedSessionParameters,
  kind: SessionKind,
  context: ActivityContext<["credential", "random", "session", "settings"]>,
): { apiKeyId: string; credentialBundle: string } {
  const { random } = context
  const target = requireTarget(parameters)
  const members = sealedSessionMembers(parameters, kind, context)
  const { secret } = createPrivateKey("CURVE_P256", random)
  return wiping([secret], () => {
    const publicKey = Buffer.from(compressP256(p256Point(p256PrivateKey(secret)))).toString("hex")
    const { id } = openSession(context, user, { ...members, publicKey }, TARGET_FIELD)
    return { apiKeyId: id, credentialBundle: sealCredential(target, secret, random) }
  })
}
