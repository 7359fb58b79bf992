// Section "Core API: submit operations", with the tables of parameters that follow it. This file only declares.
import {
  ADDRESS_FORMAT,
  ADDRESS_FORMAT_BEYOND,
  API_KEY_CURVE,
  AUTHENTICATOR_TRANSPORT,
  CLIENT_SIGNATURE_SCHEME,
  CURVE,
  EFFECT,
  EVM_CAIP2,
  EVM_CAIP2_BEYOND,
  FEATURE_NAME,
  FEATURE_NAME_BEYOND,
  FIAT_ON_RAMP_BLOCKCHAIN_NETWORK,
  FIAT_ON_RAMP_CRYPTO_CURRENCY,
  FIAT_ON_RAMP_CURRENCY,
  FIAT_ON_RAMP_PAYMENT_METHOD,
  FIAT_ON_RAMP_PROVIDER,
  HASH_FUNCTION,
  PATH_FORMAT,
  PAYLOAD_ENCODING,
  SMART_CONTRACT_INTERFACE_TYPE,
} from "./enums.ts"
import {
  beginningWith,
  beyond,
  boolean,
  type Field,
  type Fields,
  list,
  number,
  object,
  includes,
  oneOf,
  optional,
  record,
  required,
  silentOptional,
  silentRequired,
  string,
} from "./field.ts"
import { submittedPolicy } from "./resources.ts"

export type SubmitOperation = {
  path: string
  type: string
  parameters: Fields
  intent: string
  result: string
  resultFields: Fields
}

/** The body of every submit operation. */
export const submitBody: Fields = {
  type: required(string),
  timestampMs: required(string),
  organizationId: required(string),
  parameters: required(object),
  generateAppProofs: optional(boolean),
}

/** Derivation of one account. The document does not mark which members are required: all four. */
export const walletAccountParams: Fields = {
  curve: silentRequired(oneOf(CURVE)),
  pathFormat: silentRequired(oneOf(PATH_FORMAT)),
  path: silentRequired(string),
  addressFormat: silentRequired(oneOf(ADDRESS_FORMAT, ADDRESS_FORMAT_BEYOND)),
  name: beyond(string),
}

type Mark = typeof required

// The same objects occur in create_users, where the document marks what is required, and in
// create_sub_organization, where it marks nothing.
const apiKeyParams = (needed: Mark, spare: Mark): Fields => ({
  apiKeyName: needed(string),
  publicKey: needed(string),
  curveType: needed(oneOf(API_KEY_CURVE)),
  expirationSeconds: spare(string),
})

const authenticatorParams = (needed: Mark): Fields => ({
  authenticatorName: needed(string),
  challenge: needed(string),
  attestation: needed(
    record({
      credentialId: needed(string),
      clientDataJson: needed(string),
      attestationObject: needed(string),
      transports: needed(list(oneOf(AUTHENTICATOR_TRANSPORT))),
    }),
  ),
})

const oauthProviderParams = (needed: Mark): Fields => ({
  providerName: needed(string),
  oidcToken: needed(string),
})

/** Section "create_users parameters.users[] item". */
export const createUsersItem: Fields = {
  userName: required(string),
  userEmail: optional(string),
  userPhoneNumber: optional(string),
  apiKeys: required(list(record(apiKeyParams(required, optional)))),
  authenticators: required(list(record(authenticatorParams(required)))),
  oauthProviders: required(list(record(oauthProviderParams(required)))),
  userTags: required(list(string)),
}

/** One of rootUsers of create_sub_organization. */
export const rootUser: Fields = {
  userName: silentRequired(string),
  userEmail: silentOptional(string),
  userPhoneNumber: silentOptional(string),
  apiKeys: silentRequired(list(record(apiKeyParams(silentRequired, silentOptional)))),
  authenticators: silentRequired(list(record(authenticatorParams(silentRequired)))),
  oauthProviders: silentRequired(list(record(oauthProviderParams(silentRequired)))),
}

export const clientSignature: Fields = {
  publicKey: silentRequired(string),
  scheme: silentRequired(oneOf(CLIENT_SIGNATURE_SCHEME)),
  message: silentRequired(string),
  signature: silentRequired(string),
}

const createdWallet: Fields = { walletId: silentRequired(string), addresses: silentRequired(list(string)) }

const chosenFrom = (prefix: string, values: readonly string[], mark: Mark): Field =>
  mark(beginningWith(prefix, values))

export const submitOperations: readonly SubmitOperation[] = [
  {
    path: "sign_raw_payload",
    type: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
    parameters: {
      signWith: required(string),
      payload: required(string),
      encoding: required(oneOf(PAYLOAD_ENCODING)),
      hashFunction: required(oneOf(HASH_FUNCTION)),
    },
    intent: "signRawPayloadIntentV2",
    result: "signRawPayloadResult",
    resultFields: { r: silentRequired(string), s: silentRequired(string), v: silentRequired(string) },
  },
  {
    path: "create_policy",
    type: "ACTIVITY_TYPE_CREATE_POLICY_V3",
    parameters: submittedPolicy,
    intent: "createPolicyIntentV3",
    result: "createPolicyResult",
    resultFields: { policyId: silentRequired(string) },
  },
  {
    path: "create_policies",
    type: "ACTIVITY_TYPE_CREATE_POLICIES",
    parameters: {
      policies: silentRequired(
        list(
          record({
            policyName: silentRequired(string),
            effect: silentRequired(oneOf(EFFECT)),
            condition: silentOptional(string),
            consensus: silentOptional(string),
            notes: silentOptional(string),
            time: beyond(string),
          }),
        ),
      ),
    },
    intent: "createPoliciesIntent",
    result: "createPoliciesResult",
    resultFields: { policyIds: silentRequired(list(string)) },
  },
  {
    path: "delete_wallets",
    type: "ACTIVITY_TYPE_DELETE_WALLETS",
    parameters: { walletIds: required(list(string)), deleteWithoutExport: optional(boolean) },
    intent: "deleteWalletsIntent",
    result: "deleteWalletsResult",
    resultFields: { walletIds: silentRequired(list(string)) },
  },
  {
    path: "delete_oauth_providers",
    type: "ACTIVITY_TYPE_DELETE_OAUTH_PROVIDERS",
    parameters: { userId: required(string), providerIds: required(list(string)) },
    intent: "deleteOauthProvidersIntent",
    result: "deleteOauthProvidersResult",
    resultFields: { providerIds: silentRequired(list(string)) },
  },
  {
    path: "delete_user_tags",
    type: "ACTIVITY_TYPE_DELETE_USER_TAGS",
    parameters: { userTagIds: required(list(string)) },
    intent: "deleteUserTagsIntent",
    result: "deleteUserTagsResult",
    resultFields: { userTagIds: silentRequired(list(string)), userIds: silentRequired(list(string)) },
  },
  {
    path: "eth_send_transaction",
    type: "ACTIVITY_TYPE_ETH_SEND_TRANSACTION",
    parameters: {
      from: required(string),
      sponsor: optional(boolean),
      caip2: required(includes([...EVM_CAIP2, ...EVM_CAIP2_BEYOND])),
      to: required(string),
      value: optional(string),
      data: optional(string),
      nonce: optional(string),
      gasLimit: optional(string),
      maxFeePerGas: optional(string),
      maxPriorityFeePerGas: optional(string),
      gasStationNonce: optional(string),
      deadline: beyond(string),
    },
    intent: "ethSendTransactionIntent",
    result: "ethSendTransactionResult",
    resultFields: { sendTransactionStatusId: silentRequired(string) },
  },
  {
    path: "create_sub_organization",
    type: "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7",
    parameters: {
      subOrganizationName: silentRequired(string),
      rootUsers: silentRequired(list(record(rootUser))),
      rootQuorumThreshold: silentRequired(number),
      wallet: silentOptional(
        record({
          walletName: silentRequired(string),
          accounts: silentRequired(list(record(walletAccountParams))),
          mnemonicLength: silentOptional(number),
        }),
      ),
      disableEmailRecovery: silentOptional(boolean),
      disableEmailAuth: silentOptional(boolean),
      disableSmsAuth: silentOptional(boolean),
      disableOtpEmailAuth: silentOptional(boolean),
      verificationToken: silentOptional(string),
      clientSignature: silentOptional(record(clientSignature)),
    },
    intent: "createSubOrganizationIntentV7",
    result: "createSubOrganizationResultV7",
    resultFields: {
      subOrganizationId: silentRequired(string),
      // Only when a wallet was asked for: clients test for its presence.
      wallet: silentOptional(record(createdWallet)),
      rootUserIds: silentRequired(list(string)),
    },
  },
  {
    path: "create_users",
    type: "ACTIVITY_TYPE_CREATE_USERS_V3",
    parameters: { users: required(list(record(createUsersItem))) },
    intent: "createUsersIntentV3",
    // Name and field of the result: see C-19 in docs/choices.
    result: "createUsersResult",
    resultFields: { userIds: silentRequired(list(string)) },
  },
  {
    path: "import_wallet",
    type: "ACTIVITY_TYPE_IMPORT_WALLET",
    parameters: {
      userId: silentRequired(string),
      walletName: silentRequired(string),
      encryptedBundle: silentRequired(string),
      accounts: silentRequired(list(record(walletAccountParams))),
    },
    intent: "importWalletIntent",
    result: "importWalletResult",
    resultFields: { walletId: silentRequired(string), addresses: silentRequired(list(string)) },
  },
  {
    path: "import_private_key",
    type: "ACTIVITY_TYPE_IMPORT_PRIVATE_KEY",
    parameters: {
      userId: silentRequired(string),
      privateKeyName: silentRequired(string),
      encryptedBundle: silentRequired(string),
      curve: silentRequired(oneOf(CURVE)),
      addressFormats: silentRequired(list(oneOf(ADDRESS_FORMAT, ADDRESS_FORMAT_BEYOND))),
    },
    intent: "importPrivateKeyIntent",
    result: "importPrivateKeyResult",
    resultFields: {
      privateKeyId: silentRequired(string),
      addresses: silentRequired(
        list(
          record({
            format: silentRequired(oneOf(ADDRESS_FORMAT, ADDRESS_FORMAT_BEYOND)),
            address: silentRequired(string),
          }),
        ),
      ),
    },
  },
  {
    path: "create_smart_contract_interface",
    type: "ACTIVITY_TYPE_CREATE_SMART_CONTRACT_INTERFACE",
    parameters: {
      smartContractAddress: silentRequired(string),
      smartContractInterface: silentRequired(string),
      type: silentRequired(oneOf(SMART_CONTRACT_INTERFACE_TYPE)),
      label: silentRequired(string),
      notes: silentOptional(string),
    },
    intent: "createSmartContractInterfaceIntent",
    result: "createSmartContractInterfaceResult",
    resultFields: { smartContractInterfaceId: silentRequired(string) },
  },
  {
    path: "set_organization_feature",
    type: "ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE",
    parameters: { name: silentRequired(oneOf(FEATURE_NAME, FEATURE_NAME_BEYOND)), value: optional(string) },
    intent: "setOrganizationFeatureIntent",
    result: "setOrganizationFeatureResult",
    resultFields: {
      features: silentRequired(
        list(
          record({
            name: silentRequired(oneOf(FEATURE_NAME, FEATURE_NAME_BEYOND)),
            value: silentOptional(string),
          }),
        ),
      ),
    },
  },
  {
    path: "init_fiat_on_ramp",
    type: "ACTIVITY_TYPE_INIT_FIAT_ON_RAMP",
    parameters: {
      onrampProvider: chosenFrom("FIAT_ON_RAMP_PROVIDER_", FIAT_ON_RAMP_PROVIDER, silentRequired),
      walletAddress: silentRequired(string),
      network: chosenFrom(
        "FIAT_ON_RAMP_BLOCKCHAIN_NETWORK_",
        FIAT_ON_RAMP_BLOCKCHAIN_NETWORK,
        silentRequired,
      ),
      cryptoCurrencyCode: chosenFrom(
        "FIAT_ON_RAMP_CRYPTO_CURRENCY_",
        FIAT_ON_RAMP_CRYPTO_CURRENCY,
        silentRequired,
      ),
      fiatCurrencyCode: chosenFrom("FIAT_ON_RAMP_CURRENCY_", FIAT_ON_RAMP_CURRENCY, silentOptional),
      fiatCurrencyAmount: silentOptional(string),
      paymentMethod: chosenFrom("FIAT_ON_RAMP_PAYMENT_METHOD_", FIAT_ON_RAMP_PAYMENT_METHOD, silentOptional),
      countryCode: silentOptional(string),
      countrySubdivisionCode: silentOptional(string),
      sandboxMode: silentOptional(boolean),
      urlForSignature: silentOptional(string),
    },
    intent: "initFiatOnRampIntent",
    result: "initFiatOnRampResult",
    resultFields: {
      onRampUrl: silentRequired(string),
      onRampTransactionId: silentRequired(string),
      // Only when urlForSignature was sent.
      onRampUrlSignature: silentOptional(string),
    },
  },
]
