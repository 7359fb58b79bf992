import { z } from "zod"
import { AuthProxySettingsSchema } from "../../proto/gen/countersign/api/v1/auth_proxy_pb.ts"
import { FeatureNameSchema } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { UpdateOrganizationNameIntentSchema } from "../../proto/gen/countersign/api/v1/intents/organization_pb.ts"
import {
  AuthenticationMethodParamsSchema,
  CreateMfaPolicyIntentSchema,
  CreateSessionProfileIntentSchema,
  CreateSmartContractInterfaceIntentSchema,
  CreateVelocityControlIntentSchema,
  NewPolicyParamsSchema,
} from "../../proto/gen/countersign/api/v1/intents/policies_pb.ts"
import { CreateUserTagIntentSchema } from "../../proto/gen/countersign/api/v1/intents/users_pb.ts"
import {
  CreateWebhookEndpointIntentSchema,
  WebhookSubscriptionParamsSchema,
} from "../../proto/gen/countersign/api/v1/intents/webhooks_pb.ts"
import { ApiKeyParamsV2Schema, UserParamsV4Schema } from "../../proto/gen/countersign/api/v1/params_pb.ts"
import {
  emailTemplate,
  ipAllowlist,
  oauth2Credential,
  onRampCredential,
  privateKeyTag,
} from "./file-access.ts"
import { integerOf, namesOf, secondsOf, textOf, textOrEmpty } from "./rules.ts"

// The file of an organization (docs/organization-as-code.md). Members have the names of the public API; resources are
// referred to by name, not by id.

/** Format of the file. */
export const VERSION = 1

/** An expression of the policy language. White space around it, which blocks of YAML end with, has no meaning. */
function expression(schema: Parameters<typeof textOf>[0], member: string) {
  return z.string().trim().pipe(textOf(schema, member))
}

export const apiKey = z.strictObject({
  apiKeyName: textOf(ApiKeyParamsV2Schema, "apiKeyName"),
  publicKey: textOf(ApiKeyParamsV2Schema, "publicKey").toLowerCase(),
  curveType: namesOf(ApiKeyParamsV2Schema, "curveType").default("API_KEY_CURVE_P256"),
  expirationSeconds: secondsOf(ApiKeyParamsV2Schema, "expirationSeconds").optional(),
})

/** A passkey. The file cannot create it: its owner's browser does. */
export const authenticator = z.strictObject({
  authenticatorName: z.string(),
  credentialId: z.string().min(1),
  publicKey: z.string().optional(),
})

/** An OpenID Connect identity. The file cannot create it: a token of its issuer proves it. */
export const oauthProvider = z.strictObject({
  providerName: z.string(),
  issuer: z.string().min(1),
  audience: z.string().min(1),
  subject: z.string().min(1),
})

const method = z.strictObject({
  type: namesOf(AuthenticationMethodParamsSchema, "type"),
  id: textOf(AuthenticationMethodParamsSchema, "id").optional(),
})

export const mfaPolicy = z.strictObject({
  mfaPolicyName: textOf(CreateMfaPolicyIntentSchema, "mfaPolicyName"),
  condition: expression(CreateMfaPolicyIntentSchema, "condition"),
  requiredAuthenticationMethods: z.array(z.strictObject({ any: z.array(method).min(1) })).min(1),
  order: integerOf(CreateMfaPolicyIntentSchema, "order"),
  notes: z.string().default(""),
})

export const user = z.strictObject({
  userName: textOf(UserParamsV4Schema, "userName"),
  userEmail: textOrEmpty(UserParamsV4Schema, "userEmail").optional(),
  userPhoneNumber: textOrEmpty(UserParamsV4Schema, "userPhoneNumber").optional(),
  userTags: z.array(z.string()).optional(),
  apiKeys: z.array(apiKey).optional(),
  authenticators: z.array(authenticator).optional(),
  oauthProviders: z.array(oauthProvider).optional(),
  mfaPolicies: z.array(mfaPolicy).optional(),
})

export const sessionProfile = z.strictObject({
  sessionProfileName: textOf(CreateSessionProfileIntentSchema, "sessionProfileName"),
  scope: expression(CreateSessionProfileIntentSchema, "scope"),
  expirationSeconds: secondsOf(CreateSessionProfileIntentSchema, "expirationSeconds").optional(),
  notes: textOf(CreateSessionProfileIntentSchema, "notes").default(""),
})

export const velocityControl = z.strictObject({
  name: textOf(CreateVelocityControlIntentSchema, "name"),
  identifier: textOf(CreateVelocityControlIntentSchema, "identifier"),
  dataSource: z.record(z.string(), z.unknown()),
  aggregation: z.record(z.string(), z.unknown()),
})

export const contractInterface = z.strictObject({
  label: textOf(CreateSmartContractInterfaceIntentSchema, "label"),
  smartContractAddress: textOf(CreateSmartContractInterfaceIntentSchema, "smartContractAddress"),
  type: namesOf(CreateSmartContractInterfaceIntentSchema, "type"),
  notes: textOf(CreateSmartContractInterfaceIntentSchema, "notes").default(""),
  smartContractInterface: z
    .union([z.string(), z.array(z.unknown()), z.looseObject({})])
    .transform((value) => (typeof value === "string" ? value : JSON.stringify(value))),
})

export const policy = z.strictObject({
  policyName: textOf(NewPolicyParamsSchema, "policyName"),
  effect: namesOf(NewPolicyParamsSchema, "effect"),
  consensus: expression(NewPolicyParamsSchema, "consensus").default(""),
  condition: expression(NewPolicyParamsSchema, "condition").default(""),
  time: expression(NewPolicyParamsSchema, "time").default(""),
  notes: textOf(NewPolicyParamsSchema, "notes").default(""),
})

export const subscription = z.strictObject({
  eventType: textOf(WebhookSubscriptionParamsSchema, "eventType"),
  filtersJson: textOf(WebhookSubscriptionParamsSchema, "filtersJson").optional(),
  isActive: z.boolean().default(true),
})

export const webhookEndpoint = z.strictObject({
  name: textOf(CreateWebhookEndpointIntentSchema, "name"),
  url: textOf(CreateWebhookEndpointIntentSchema, "url"),
  isActive: z.boolean().default(true),
  subscriptions: z
    .array(subscription)
    .min(1)
    .default([{ eventType: "ACTIVITY_UPDATES", isActive: true }]),
})

/** Set by authProxy.enabled. */
export const PROXY_FEATURE = "FEATURE_NAME_AUTH_PROXY"

const FEATURES = FeatureNameSchema.values
  .filter(({ number, name }) => number !== 0 && name !== PROXY_FEATURE)
  .map(({ name }) => name)

/** true: a switch that is on; false: the feature is not set. */
const feature = z.union([z.boolean(), z.string()], { error: "must be true, false or text" })

const PROXY_MEMBERS = AuthProxySettingsSchema.fields.map(({ jsonName }) => jsonName)

const settings = z.strictObject(
  Object.fromEntries(PROXY_MEMBERS.map((name) => [name, z.unknown().optional()])),
)

const rootQuorum = z.strictObject({
  threshold: z.int().min(1),
  users: z.array(z.string()).min(1),
})

export const organizationFile = z.strictObject({
  version: z.literal(VERSION, { error: `must be ${VERSION}, the format that this release reads` }),
  organizationName: textOf(UpdateOrganizationNameIntentSchema, "organizationName").optional(),
  userTags: z.array(textOf(CreateUserTagIntentSchema, "userTagName")).optional(),
  users: z.array(user).optional(),
  privateKeyTags: z.array(privateKeyTag).optional(),
  sessionProfiles: z.array(sessionProfile).optional(),
  velocityControls: z.array(velocityControl).optional(),
  smartContractInterfaces: z.array(contractInterface).optional(),
  policies: z.array(policy).optional(),
  webhookEndpoints: z.array(webhookEndpoint).optional(),
  features: z.strictObject(Object.fromEntries(FEATURES.map((name) => [name, feature.optional()]))).optional(),
  emailTemplates: z.array(emailTemplate).optional(),
  oauth2Credentials: z.array(oauth2Credential).optional(),
  fiatOnRampCredentials: z.array(onRampCredential).optional(),
  authProxy: z.strictObject({ enabled: z.boolean(), settings: settings.optional() }).optional(),
  ipAllowlists: z.array(ipAllowlist).optional(),
  rootQuorum: rootQuorum.optional(),
})

/** Content of the file. A section that it leaves out is not managed. */
export type OrganizationFile = z.output<typeof organizationFile>
export type FileUser = z.output<typeof user>
export type FileApiKey = z.output<typeof apiKey>
export type FileMfaPolicy = z.output<typeof mfaPolicy>
export type FilePolicy = z.output<typeof policy>
export type FileSessionProfile = z.output<typeof sessionProfile>
export type FileVelocityControl = z.output<typeof velocityControl>
export type FileInterface = z.output<typeof contractInterface>
export type FileWebhookEndpoint = z.output<typeof webhookEndpoint>
