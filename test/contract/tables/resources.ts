// Section "Resources and their fields". Where the document has no column "Required", a field is expected to be
// there (silentRequired), except where its notes say otherwise.
import {
  ACTIVITY_STATUS,
  ACTIVITY_STATUS_BEYOND,
  ADDRESS_FORMAT,
  ADDRESS_FORMAT_BEYOND,
  AUTHENTICATOR_TRANSPORT,
  CREDENTIAL_TYPE,
  CURVE,
  EFFECT,
  OAUTH2_PROVIDER,
  PATH_FORMAT,
} from "./enums.ts"
import {
  beginningWith,
  beyond,
  boolean,
  type Fields,
  list,
  number,
  object,
  oneOf,
  optional,
  record,
  required,
  silentOptional,
  silentRequired,
  string,
  timestamp,
} from "./field.ts"

const credential: Fields = {
  publicKey: silentRequired(string),
  type: silentRequired(oneOf(CREDENTIAL_TYPE)),
  sessionProfileId: beyond(string),
}

export const apiKey: Fields = {
  credential: required(record(credential)),
  apiKeyId: required(string),
  apiKeyName: required(string),
  createdAt: required(timestamp),
  updatedAt: required(timestamp),
  expirationSeconds: optional(string),
}

export const authenticator: Fields = {
  transports: silentRequired(list(oneOf(AUTHENTICATOR_TRANSPORT))),
  attestationType: silentRequired(string),
  aaguid: silentRequired(string),
  credentialId: silentRequired(string),
  model: silentRequired(string),
  credential: silentRequired(record(credential)),
  authenticatorId: silentRequired(string),
  authenticatorName: silentRequired(string),
  createdAt: silentRequired(timestamp),
  updatedAt: silentRequired(timestamp),
}

export const oauthProvider: Fields = {
  providerId: silentRequired(string),
  providerName: silentRequired(string),
  issuer: silentRequired(string),
  audience: silentRequired(string),
  subject: silentRequired(string),
  createdAt: silentRequired(timestamp),
  updatedAt: silentRequired(timestamp),
}

export const oauth2Credential: Fields = {
  oauth2CredentialId: silentRequired(string),
  organizationId: silentRequired(string),
  provider: silentRequired(beginningWith("OAUTH2_PROVIDER_", OAUTH2_PROVIDER)),
  clientId: silentRequired(string),
  encryptedClientSecret: silentRequired(string),
  createdAt: silentRequired(timestamp),
  updatedAt: silentRequired(timestamp),
}

export const wallet: Fields = {
  walletId: silentRequired(string),
  walletName: silentRequired(string),
  createdAt: silentRequired(timestamp),
  updatedAt: silentRequired(timestamp),
  exported: silentRequired(boolean),
  imported: silentRequired(boolean),
}

export const walletAccount: Fields = {
  walletAccountId: silentRequired(string),
  organizationId: silentRequired(string),
  walletId: silentRequired(string),
  curve: silentRequired(oneOf(CURVE)),
  pathFormat: silentRequired(oneOf(PATH_FORMAT)),
  path: silentRequired(string),
  addressFormat: silentRequired(oneOf(ADDRESS_FORMAT, ADDRESS_FORMAT_BEYOND)),
  address: silentRequired(string),
  publicKey: silentRequired(string),
  createdAt: silentRequired(timestamp),
  updatedAt: silentRequired(timestamp),
  walletDetails: silentOptional(record(wallet)),
  name: beyond(string),
  caip2Prefix: beyond(string),
}

export const paginationOptions: Fields = {
  limit: silentOptional(string),
  before: silentOptional(string),
  after: silentOptional(string),
}

/** Policy as submitted by create_policy. */
export const submittedPolicy: Fields = {
  policyName: required(string),
  effect: required(oneOf(EFFECT)),
  condition: optional(string),
  consensus: optional(string),
  notes: required(string),
  time: beyond(string),
}

export const mfaPolicy: Fields = {
  mfaPolicyId: silentRequired(string),
  mfaPolicyName: silentRequired(string),
  condition: silentRequired(string),
  requiredAuthenticationMethods: silentRequired(list(object)),
  order: silentRequired(number),
  notes: beyond(string),
  createdAt: silentRequired(timestamp),
  updatedAt: silentRequired(timestamp),
}

/** The document leaves a user's stored fields open; these are the ones that published clients read. */
export const user: Fields = {
  userId: silentRequired(string),
  userName: silentRequired(string),
  userEmail: beyond(string),
  userPhoneNumber: beyond(string),
  authenticators: silentRequired(list(record(authenticator))),
  apiKeys: silentRequired(list(record(apiKey))),
  userTags: silentRequired(list(string)),
  oauthProviders: silentRequired(list(record(oauthProvider))),
  mfaPolicies: silentRequired(list(record(mfaPolicy))),
  createdAt: silentRequired(timestamp),
  updatedAt: silentRequired(timestamp),
}

/** The document leaves the fields of a vote open; these are the ones that published clients read. */
export const vote: Fields = {
  id: silentRequired(string),
  userId: silentRequired(string),
  user: silentRequired(record(user)),
  activityId: silentRequired(string),
  selection: silentRequired(oneOf(["VOTE_SELECTION_APPROVED", "VOTE_SELECTION_REJECTED"])),
  message: silentRequired(string),
  publicKey: silentRequired(string),
  signature: silentRequired(string),
  scheme: silentRequired(string),
  createdAt: silentRequired(timestamp),
}

export const appProof: Fields = {
  scheme: silentRequired(string),
  publicKey: silentRequired(string),
  proofPayload: silentRequired(string),
  signature: silentRequired(string),
}

const failure: Fields = {
  code: silentRequired(number),
  message: silentRequired(string),
  details: silentRequired(list(object)),
}

export const activity: Fields = {
  id: required(string),
  organizationId: required(string),
  status: required(oneOf(ACTIVITY_STATUS, ACTIVITY_STATUS_BEYOND)),
  type: required(string),
  intent: required(object),
  result: required(object),
  votes: required(list(record(vote))),
  fingerprint: required(string),
  canApprove: required(boolean),
  canReject: required(boolean),
  createdAt: required(string),
  updatedAt: required(string),
  appProofs: beyond(list(record(appProof))),
  failure: beyond(record(failure)),
}

/** Body of every reply that is not 200. The document leaves it open; published clients read these members. */
export const errorBody: Fields = {
  code: silentRequired(number),
  message: silentRequired(string),
  details: silentRequired(list(object)),
  turnkeyErrorCode: beyond(string),
}

/** The tables of the section, by the heading of each. */
export const resources: { readonly [heading: string]: Fields } = {
  Activity: activity,
  Wallet: wallet,
  "Wallet account": walletAccount,
  Authenticator: authenticator,
  "API key": apiKey,
  "OAuth provider": oauthProvider,
  "OAuth 2.0 credential": oauth2Credential,
  "Pagination options": paginationOptions,
  Policy: submittedPolicy,
}
