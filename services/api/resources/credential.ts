import { create, type MessageInitShape } from "@bufbuild/protobuf"
import { CredentialType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type {
  ApiKeySchema,
  AuthenticatorSchema,
  OauthProviderSchema,
} from "../../../proto/gen/countersign/api/v1/resources_pb.ts"
import {
  type ApiKey,
  ApiKeySchema as StoredApiKeySchema,
  type Authenticator,
  type OauthProvider,
} from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import type { StoredSession } from "../store/sessions.ts"
import { timestamps } from "./time.ts"

/** An API key, or a session in the form of one, with its profile. */
type ShownApiKey = ApiKey & { sessionProfileId?: string }

export function apiKeyResource(key: ShownApiKey): MessageInitShape<typeof ApiKeySchema> {
  const { publicKey, type, sessionProfileId } = key
  return {
    credential: { publicKey, type, ...(sessionProfileId === undefined ? {} : { sessionProfileId }) },
    apiKeyId: key.apiKeyId,
    apiKeyName: key.name,
    ...timestamps(key),
    ...(key.expirationSeconds > 0n ? { expirationSeconds: key.expirationSeconds.toString() } : {}),
  }
}

/** A session in the form of an API key, in which the interface shows it. */
export function sessionApiKey({ id, ...session }: StoredSession): ShownApiKey {
  const { name, publicKey, type, expiresAtMs, expirationSeconds, createdAtMs, scope } = session
  const key = create(StoredApiKeySchema, {
    apiKeyId: id,
    name,
    publicKey,
    type,
    expiresAtMs,
    expirationSeconds,
    createdAtMs,
    updatedAtMs: createdAtMs,
  })
  return scope === undefined ? key : { ...key, sessionProfileId: scope.sessionProfileId }
}

/** Bytes are base64url without padding, as browsers write them. */
export function authenticatorResource(
  authenticator: Authenticator,
): MessageInitShape<typeof AuthenticatorSchema> {
  const { aaguid, credentialId, publicKey } = authenticator
  return {
    transports: authenticator.transports,
    attestationType: authenticator.attestationType,
    aaguid: base64url(aaguid),
    credentialId: base64url(credentialId),
    model: authenticatorModel(aaguid),
    credential: { publicKey: base64url(publicKey), type: CredentialType.WEBAUTHN_AUTHENTICATOR },
    authenticatorId: authenticator.authenticatorId,
    authenticatorName: authenticator.name,
    ...timestamps(authenticator),
  }
}

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64url")
}

export function oauthProviderResource(provider: OauthProvider): MessageInitShape<typeof OauthProviderSchema> {
  const { providerId, name: providerName, issuer, audience, subject } = provider
  return { providerId, providerName, issuer, audience, subject, ...timestamps(provider) }
}

/**
 * Names of common authenticator models by AAGUID, so that users can distinguish their passkeys. From the public list of passkey
 * providers (github.com/passkeydeveloper/passkey-authenticator-aaguids). An authenticator chooses its AAGUID itself: nothing is
 * decided by it.
 */
const models: ReadonlyMap<string, string> = new Map([
  ["fbfc3007-154e-4ecc-8c0b-6e020557d7bd", "iCloud Keychain"],
  ["dd4ec289-e01d-41c9-bb89-70fa845d4bf2", "iCloud Keychain (Managed)"],
  ["ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4", "Google Password Manager"],
  ["adce0002-35bc-c60a-648b-0b25f1f05503", "Chrome on Mac"],
  ["771b48fd-d3d4-4f74-9232-fc157ab0507a", "Edge on Mac"],
  ["08987058-cadc-4b81-b6e1-30de50dcbe96", "Windows Hello"],
  ["9ddd1817-af5a-4672-a2b9-3e3dd95000a9", "Windows Hello"],
  ["6028b017-b1d4-4c02-b4b3-afcdafc96bb2", "Windows Hello"],
  ["bada5566-a7aa-401f-bd96-45619a55120d", "1Password"],
  ["d548826e-79b4-db40-a3d8-11116f7e8349", "Bitwarden"],
  ["531126d6-e717-415c-9320-3d9aa6981239", "Dashlane"],
  ["f3809540-7f14-49c1-a8b3-8f813b225541", "Enpass"],
  ["0ea242b4-43c4-4a1b-8b17-dd6d0b6baec6", "Keeper"],
  ["b84e4048-15dc-4dd0-8640-f4f60813c8af", "NordPass"],
  ["50726f74-6f6e-5061-7373-50726f746f6e", "Proton Pass"],
  ["53414d53-554e-4700-0000-000000000000", "Samsung Pass"],
])

/** Name of an unknown model, or of one that sends no AAGUID. */
const UNKNOWN = "Security key"

/** Name of the model with an AAGUID, 16 bytes. */
function authenticatorModel(aaguid: Uint8Array): string {
  const hex = Buffer.from(aaguid).toString("hex")
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)]
  return models.get(parts.join("-")) ?? UNKNOWN
}
