import { ApiKeyCurve, CredentialType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { User } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { addApiKey } from "../organization/api-keys.ts"
import { requireUser } from "../organization/users.ts"
import { refuse } from "../../core/refusal.ts"
import { requirePublicKey } from "../../core/stamp/keys.ts"
import type { Activity, ActivityContext } from "./activity.ts"

/** A key as the requests describe it, in any of their versions. */
export type ApiKeyParameters = {
  apiKeyName: string
  publicKey: string
  /** Absent in the first version, which knew P-256 only. */
  curveType?: ApiKeyCurve | undefined
  expirationSeconds?: string | undefined
}

export const createApiKeys: Activity<"createApiKeysIntent", "createApiKeysResult"> = {
  run({ userId, apiKeys }, context) {
    const user = requireUser(context.organization, userId, "parameters.userId")
    return { apiKeyIds: addApiKeys(user, apiKeys, context, "parameters.apiKeys") }
  },
}

export const createApiKeysV2: Activity<"createApiKeysIntentV2", "createApiKeysResult"> = {
  run({ userId, apiKeys }, context) {
    const user = requireUser(context.organization, userId, "parameters.userId")
    return { apiKeyIds: addApiKeys(user, apiKeys, context, "parameters.apiKeys") }
  },
}

/**
 * Adds keys to a user; returns their ids in order.
 *
 * @throws PUBLIC_KEY_INVALID, CREDENTIAL_TAKEN, LIMIT_EXCEEDED
 */
export function addApiKeys(
  user: User,
  keys: readonly ApiKeyParameters[],
  context: ActivityContext,
  field: string,
): string[] {
  return keys.map((key, index) => {
    const at = `${field}[${index}]`
    const curve = key.curveType ?? ApiKeyCurve.P256
    const apiKeyId = context.newId()
    addApiKey(
      context.organization,
      user,
      {
        apiKeyId,
        name: key.apiKeyName,
        publicKey: requirePublicKey(curve, key.publicKey, `${at}.publicKey`),
        type: credentialTypeOf(curve),
        expirationSeconds: BigInt(key.expirationSeconds ?? "0"),
      },
      at,
    )
    return apiKeyId
  })
}

function credentialTypeOf(curve: ApiKeyCurve): CredentialType {
  switch (curve) {
    case ApiKeyCurve.P256:
      return CredentialType.API_KEY_P256
    case ApiKeyCurve.SECP256K1:
      return CredentialType.API_KEY_SECP256K1
    case ApiKeyCurve.ED25519:
      return CredentialType.API_KEY_ED25519
    default:
      throw refuse("REQUEST_INVALID", "curveType is no curve of API keys")
  }
}
