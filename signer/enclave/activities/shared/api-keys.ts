import { ApiKeyCurve, CredentialType } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { User } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { addApiKey } from "../../organization/api-keys.ts"
import { refuse } from "../../../core/refusal.ts"
import { requirePublicKey } from "../../../core/stamp/keys.ts"
import type { ActivityContext } from "../activity.ts"

/** An API key as requests of any version describe it. */
export type ApiKeyParameters = {
  apiKeyName: string
  publicKey: string
  /** Absent in the first version, whose keys are all P-256. */
  curveType?: ApiKeyCurve | undefined
  expirationSeconds?: string | undefined
}

/** Adds API keys to a user; returns their ids in order. @throws PUBLIC_KEY_INVALID, CREDENTIAL_TAKEN, LIMIT_EXCEEDED */
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
      throw refuse(
        "REQUEST_INVALID",
        "curveType: unknown curve of an API key; use API_KEY_CURVE_P256, API_KEY_CURVE_SECP256K1 or API_KEY_CURVE_ED25519",
      )
  }
}
