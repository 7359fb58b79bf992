import type { MessageInitShape } from "@bufbuild/protobuf"
import { CredentialType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type {
  ApiKeySchema,
  AuthenticatorSchema,
  MfaPolicySchema,
  PolicySchema,
  PrivateKeySchema,
  FeatureSchema,
  IpAllowlistSchema,
  QuorumSchema,
  SmartContractInterfaceReferenceSchema,
  SessionProfileSchema,
  SmartContractInterfaceSchema,
  TagSchema,
  Oauth2CredentialSchema,
  OauthProviderSchema,
  TimestampSchema,
  UserSchema,
  WalletAccountSchema,
  WalletSchema,
} from "../../../proto/gen/countersign/api/v1/resources_pb.ts"
import type {
  ApiKey,
  Authenticator,
  Feature,
  IpAllowlist,
  OauthProvider,
  RootQuorum,
  SessionProfile,
  InterfaceReference,
  MfaPolicy,
  Policy,
  Tag,
  User,
} from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import type {
  Oauth2CredentialRecord,
  PrivateKeyRecord,
  SmartContractInterfaceRecord,
  WalletAccountRecord,
  WalletRecord,
} from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { authenticatorModel } from "./authenticator-models.ts"
import { caip2Namespace } from "./caip2.ts"

/** A stored time as the interface writes it: seconds and nanoseconds, decimal. */
export function timestamp(ms: bigint | number): MessageInitShape<typeof TimestampSchema> {
  const whole = Number(ms)
  return { seconds: String(Math.floor(whole / 1000)), nanos: String((whole % 1000) * 1_000_000) }
}

/** A user; one that is no longer in the document is shown by his id. */
export function userResource(user: User | undefined, userId: string): MessageInitShape<typeof UserSchema> {
  return {
    userId,
    userName: user?.name ?? "",
    ...(user?.email ? { userEmail: user.email } : {}),
    ...(user?.phoneNumber ? { userPhoneNumber: user.phoneNumber } : {}),
    authenticators: (user?.authenticators ?? []).map(authenticatorResource),
    apiKeys: (user?.apiKeys ?? []).map(apiKeyResource),
    userTags: user?.tagIds ?? [],
    oauthProviders: (user?.oauthProviders ?? []).map(oauthProviderResource),
    mfaPolicies: user === undefined ? [] : mfaPoliciesOf(user).map(mfaPolicyResource),
    createdAt: timestamp(user?.createdAtMs ?? 0),
    updatedAt: timestamp(user?.updatedAtMs ?? 0),
  }
}

/** An API key, or a session that is shown as one, with its profile. */
export type ShownApiKey = ApiKey & { sessionProfileId?: string }

export function apiKeyResource(key: ShownApiKey): MessageInitShape<typeof ApiKeySchema> {
  const { publicKey, type, sessionProfileId } = key
  return {
    credential: { publicKey, type, ...(sessionProfileId === undefined ? {} : { sessionProfileId }) },
    apiKeyId: key.apiKeyId,
    apiKeyName: key.name,
    createdAt: timestamp(key.createdAtMs),
    updatedAt: timestamp(key.updatedAtMs),
    ...(key.expirationSeconds > 0n ? { expirationSeconds: key.expirationSeconds.toString() } : {}),
  }
}

export function featureResource({ name, value }: Feature): MessageInitShape<typeof FeatureSchema> {
  return { name, value }
}

export function quorumResource(quorum: RootQuorum | undefined): MessageInitShape<typeof QuorumSchema> {
  return { threshold: quorum?.threshold ?? 0, userIds: quorum?.userIds ?? [] }
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
    createdAt: timestamp(authenticator.createdAtMs),
    updatedAt: timestamp(authenticator.updatedAtMs),
  }
}

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64url")
}

export function tagResource(tag: Tag): MessageInitShape<typeof TagSchema> {
  return {
    tagId: tag.tagId,
    tagName: tag.name,
    tagType: tag.type,
    createdAt: timestamp(tag.createdAtMs),
    updatedAt: timestamp(tag.updatedAtMs),
  }
}

export function privateKeyResource(
  privateKeyId: string,
  key: PrivateKeyRecord,
  privateKeyTags: readonly string[],
): MessageInitShape<typeof PrivateKeySchema> {
  return {
    privateKeyId,
    publicKey: key.publicKey,
    privateKeyName: key.name,
    curve: key.curve,
    addresses: key.addresses.map(({ format, address }) => ({ format, address })),
    privateKeyTags: [...privateKeyTags],
    createdAt: timestamp(key.createdAtMs),
    updatedAt: timestamp(key.updatedAtMs),
    exported: key.exported,
    imported: key.imported,
  }
}

export function mfaPolicyResource(policy: MfaPolicy): MessageInitShape<typeof MfaPolicySchema> {
  const { mfaPolicyId, name: mfaPolicyName, condition, steps, order, notes } = policy
  return {
    mfaPolicyId,
    mfaPolicyName,
    condition,
    requiredAuthenticationMethods: steps.map(({ any }) => ({
      any: any.map(({ type, id }) => (id === "" ? { type } : { type, id })),
    })),
    order,
    ...(notes === undefined ? {} : { notes }),
    createdAt: timestamp(policy.createdAtMs),
    updatedAt: timestamp(policy.updatedAtMs),
  }
}

/** A user's MFA policies in the order in which they are asked. */
export function mfaPoliciesOf(user: Pick<User, "mfaPolicies">): MfaPolicy[] {
  return user.mfaPolicies.toSorted((a, b) => a.order - b.order)
}

/** An expression that is not there is "", but for the time, which is left out. */
export function policyResource(policy: Policy): MessageInitShape<typeof PolicySchema> {
  const { policyId, name: policyName, effect, notes, condition = "", consensus = "", time } = policy
  return {
    policyId,
    policyName,
    effect,
    createdAt: timestamp(policy.createdAtMs),
    updatedAt: timestamp(policy.updatedAtMs),
    notes,
    consensus,
    condition,
    ...(time === undefined ? {} : { time }),
  }
}

export function sessionProfileResource(
  profile: SessionProfile,
): MessageInitShape<typeof SessionProfileSchema> {
  const { sessionProfileId, name: sessionProfileName, scope, expirationSeconds, notes } = profile
  const born = timestamp(profile.createdAtMs)
  return {
    sessionProfileId,
    sessionProfileName,
    scope,
    ...(expirationSeconds > 0n ? { expirationSeconds: expirationSeconds.toString() } : {}),
    notes,
    createdAt: born,
    updatedAt: born,
  }
}

/** A list that was never set is shown as one that is empty and not enforced. */
export function ipAllowlistResource(
  organizationId: string,
  publicKey: string,
  list: IpAllowlist | undefined,
): MessageInitShape<typeof IpAllowlistSchema> {
  const rules = (list?.blocks ?? []).map(({ cidr, label, createdAtMs }) => ({
    cidr,
    ...(label === "" ? {} : { label }),
    createdAt: timestamp(createdAtMs),
  }))
  return {
    organizationId,
    rules,
    ...(publicKey === "" ? {} : { publicKey }),
    enabled: list?.enabled ?? false,
    onEvaluationError: list?.allowOnError ? "ALLOW" : "DENY",
  }
}

export function interfaceResource(
  { id, organizationId }: { id: string; organizationId: string },
  stored: SmartContractInterfaceRecord,
): MessageInitShape<typeof SmartContractInterfaceSchema> {
  return {
    organizationId,
    smartContractInterfaceId: id,
    smartContractAddress: stored.address,
    smartContractInterface: stored.text,
    type: stored.type,
    label: stored.label,
    notes: stored.notes,
    createdAt: timestamp(stored.createdAtMs),
    updatedAt: timestamp(stored.updatedAtMs),
  }
}

/** The address in its canonical form, the digest in hexadecimal. */
export function interfaceReferenceResource(
  reference: InterfaceReference,
): MessageInitShape<typeof SmartContractInterfaceReferenceSchema> {
  return {
    smartContractInterfaceId: reference.interfaceId,
    smartContractAddress: reference.address,
    digest: Buffer.from(reference.digest).toString("hex"),
  }
}

export function oauthProviderResource(provider: OauthProvider): MessageInitShape<typeof OauthProviderSchema> {
  const { providerId, name: providerName, issuer, audience, subject, createdAtMs, updatedAtMs } = provider
  const times = { createdAt: timestamp(createdAtMs), updatedAt: timestamp(updatedAtMs) }
  return { providerId, providerName, issuer, audience, subject, ...times }
}

/** The secret as it was submitted: sealed for the fetcher. */
export function oauth2CredentialResource(
  { id: oauth2CredentialId, organizationId }: { id: string; organizationId: string },
  { provider, clientId, encryptedClientSecret, createdAtMs, updatedAtMs }: Oauth2CredentialRecord,
): MessageInitShape<typeof Oauth2CredentialSchema> {
  const times = { createdAt: timestamp(createdAtMs), updatedAt: timestamp(updatedAtMs) }
  return { oauth2CredentialId, organizationId, provider, clientId, encryptedClientSecret, ...times }
}

export function walletResource(
  walletId: string,
  wallet: WalletRecord,
): MessageInitShape<typeof WalletSchema> {
  return {
    walletId,
    walletName: wallet.name,
    createdAt: timestamp(wallet.createdAtMs),
    updatedAt: timestamp(wallet.updatedAtMs),
    exported: wallet.exported,
    imported: wallet.imported,
  }
}

export function walletAccountResource(
  { id, organizationId }: { id: string; organizationId: string },
  account: WalletAccountRecord,
  walletDetails?: MessageInitShape<typeof WalletSchema>,
): MessageInitShape<typeof WalletAccountSchema> {
  const caip2Prefix = caip2Namespace(account.addressFormat)
  return {
    walletAccountId: id,
    organizationId,
    walletId: account.walletId,
    curve: account.curve,
    pathFormat: account.pathFormat,
    path: account.path,
    addressFormat: account.addressFormat,
    address: account.address,
    createdAt: timestamp(account.createdAtMs),
    updatedAt: timestamp(account.updatedAtMs),
    publicKey: account.publicKey,
    ...(account.name ? { name: account.name } : {}),
    ...(caip2Prefix ? { caip2Prefix } : {}),
    ...(walletDetails ? { walletDetails } : {}),
  }
}
