import type { ActivityType } from "../../../proto/gen/countersign/api/v1/activities_pb.ts"
import type { ActivityContext } from "./activity.ts"
import { createAuthenticatorsV2 } from "./create-authenticators.ts"
import { createApiKeys, createApiKeysV2 } from "./create-api-keys.ts"
import { createApiOnlyUsers } from "./create-api-only-users.ts"
import { createOauthProviders, createOauthProvidersV2 } from "./create-oauth-providers.ts"
import { createMfaPolicy } from "./create-mfa-policy.ts"
import { createOrganization } from "./create-organization.ts"
import { createPolicies } from "./create-policies.ts"
import { createPolicyV3 } from "./create-policy.ts"
import { createPrivateKeyTag } from "./create-private-key-tag.ts"
import { createPrivateKeys, createPrivateKeysV2 } from "./create-private-keys.ts"
import { createSessionProfile } from "./create-session-profile.ts"
import { createSmartContractInterface } from "./create-smart-contract-interface.ts"
import {
  createSubOrganizationV4,
  createSubOrganizationV5,
  createSubOrganizationV6,
  createSubOrganizationV7,
  createSubOrganizationV8,
} from "./create-sub-organization.ts"
import { createUserTag } from "./create-user-tag.ts"
import { createUsersV2, createUsersV3, createUsersV4 } from "./create-users.ts"
import { createWallet } from "./create-wallet.ts"
import { createWalletAccounts } from "./create-wallet-accounts.ts"
import { deleteOauthProviders } from "./delete-oauth-providers.ts"
import { createOauth2Credential } from "./create-oauth2-credential.ts"
import { deleteOauth2Credential } from "./delete-oauth2-credential.ts"
import { updateOauth2Credential } from "./update-oauth2-credential.ts"
import { deleteApiKeys } from "./delete-api-keys.ts"
import { deletePolicies } from "./delete-policies.ts"
import { deletePolicy } from "./delete-policy.ts"
import { deletePrivateKeyTags } from "./delete-private-key-tags.ts"
import { deletePrivateKeys } from "./delete-private-keys.ts"
import { deleteSmartContractInterface } from "./delete-smart-contract-interface.ts"
import { deleteMfaPolicy } from "./delete-mfa-policy.ts"
import { deleteSubOrganization } from "./delete-sub-organization.ts"
import { deleteWallets } from "./delete-wallets.ts"
import { deleteWalletAccounts } from "./delete-wallet-accounts.ts"
import { deleteAuthenticators } from "./delete-authenticators.ts"
import { deleteUserTags } from "./delete-user-tags.ts"
import { deleteUsers } from "./delete-users.ts"
import { exportPrivateKey } from "./export-private-key.ts"
import { exportWallet } from "./export-wallet.ts"
import { exportWalletAccount } from "./export-wallet-account.ts"
import { importPrivateKey } from "./import-private-key.ts"
import { importWallet } from "./import-wallet.ts"
import { initImportPrivateKey } from "./init-import-private-key.ts"
import { initImportWallet } from "./init-import-wallet.ts"
import { removeIpAllowlist } from "./remove-ip-allowlist.ts"
import { setIpAllowlist } from "./set-ip-allowlist.ts"
import { removeOrganizationFeature } from "./remove-organization-feature.ts"
import { setOrganizationFeature } from "./set-organization-feature.ts"
import { signRawPayload, signRawPayloadV2 } from "./sign-raw-payload.ts"
import { signRawPayloads } from "./sign-raw-payloads.ts"
import { stampLogin } from "./stamp-login.ts"
import { updatePolicy, updatePolicyV2 } from "./update-policy.ts"
import { updatePrivateKeyTag } from "./update-private-key-tag.ts"
import { updateMfaPolicy } from "./update-mfa-policy.ts"
import { updateOrganizationName } from "./update-organization-name.ts"
import { updateRootQuorum } from "./update-root-quorum.ts"
import { updateWallet } from "./update-wallet.ts"
import { updateUser } from "./update-user.ts"
import { updateUserEmail } from "./update-user-email.ts"
import { updateUserName } from "./update-user-name.ts"
import { updateUserPhoneNumber } from "./update-user-phone-number.ts"
import { updateUserTag } from "./update-user-tag.ts"

/**
 * The activities this release serves, by type without prefix. What is declared in the proto and missing here is
 * refused ACTIVITY_TYPE_NOT_SERVED; votes are not here, they are part of the pipeline (execution/vote.ts).
 */
const SERVED = {
  CREATE_ORGANIZATION: createOrganization,
  UPDATE_ORGANIZATION_NAME: updateOrganizationName,
  SET_ORGANIZATION_FEATURE: setOrganizationFeature,
  REMOVE_ORGANIZATION_FEATURE: removeOrganizationFeature,
  CREATE_USERS_V2: createUsersV2,
  CREATE_USERS_V3: createUsersV3,
  CREATE_USERS_V4: createUsersV4,
  CREATE_API_ONLY_USERS: createApiOnlyUsers,
  UPDATE_USER: updateUser,
  UPDATE_USER_NAME: updateUserName,
  UPDATE_USER_EMAIL: updateUserEmail,
  UPDATE_USER_PHONE_NUMBER: updateUserPhoneNumber,
  DELETE_USERS: deleteUsers,
  CREATE_USER_TAG: createUserTag,
  UPDATE_USER_TAG: updateUserTag,
  DELETE_USER_TAGS: deleteUserTags,
  CREATE_API_KEYS: createApiKeys,
  CREATE_API_KEYS_V2: createApiKeysV2,
  DELETE_API_KEYS: deleteApiKeys,
  CREATE_AUTHENTICATORS_V2: createAuthenticatorsV2,
  DELETE_AUTHENTICATORS: deleteAuthenticators,
  CREATE_SUB_ORGANIZATION_V4: createSubOrganizationV4,
  CREATE_SUB_ORGANIZATION_V5: createSubOrganizationV5,
  CREATE_SUB_ORGANIZATION_V6: createSubOrganizationV6,
  CREATE_SUB_ORGANIZATION_V7: createSubOrganizationV7,
  CREATE_SUB_ORGANIZATION_V8: createSubOrganizationV8,
  DELETE_SUB_ORGANIZATION: deleteSubOrganization,
  CREATE_WALLET: createWallet,
  CREATE_WALLET_ACCOUNTS: createWalletAccounts,
  UPDATE_WALLET: updateWallet,
  DELETE_WALLET_ACCOUNTS: deleteWalletAccounts,
  DELETE_WALLETS: deleteWallets,
  INIT_IMPORT_WALLET: initImportWallet,
  IMPORT_WALLET: importWallet,
  EXPORT_WALLET: exportWallet,
  EXPORT_WALLET_ACCOUNT: exportWalletAccount,
  CREATE_PRIVATE_KEYS: createPrivateKeys,
  CREATE_PRIVATE_KEYS_V2: createPrivateKeysV2,
  DELETE_PRIVATE_KEYS: deletePrivateKeys,
  CREATE_PRIVATE_KEY_TAG: createPrivateKeyTag,
  UPDATE_PRIVATE_KEY_TAG: updatePrivateKeyTag,
  DELETE_PRIVATE_KEY_TAGS: deletePrivateKeyTags,
  CREATE_POLICY_V3: createPolicyV3,
  CREATE_POLICIES: createPolicies,
  UPDATE_POLICY: updatePolicy,
  UPDATE_POLICY_V2: updatePolicyV2,
  DELETE_POLICY: deletePolicy,
  DELETE_POLICIES: deletePolicies,
  CREATE_SMART_CONTRACT_INTERFACE: createSmartContractInterface,
  DELETE_SMART_CONTRACT_INTERFACE: deleteSmartContractInterface,
  CREATE_OAUTH_PROVIDERS: createOauthProviders,
  CREATE_OAUTH_PROVIDERS_V2: createOauthProvidersV2,
  DELETE_OAUTH_PROVIDERS: deleteOauthProviders,
  CREATE_OAUTH2_CREDENTIAL: createOauth2Credential,
  UPDATE_OAUTH2_CREDENTIAL: updateOauth2Credential,
  DELETE_OAUTH2_CREDENTIAL: deleteOauth2Credential,
  INIT_IMPORT_PRIVATE_KEY: initImportPrivateKey,
  IMPORT_PRIVATE_KEY: importPrivateKey,
  EXPORT_PRIVATE_KEY: exportPrivateKey,
  SIGN_RAW_PAYLOAD: signRawPayload,
  SIGN_RAW_PAYLOAD_V2: signRawPayloadV2,
  SIGN_RAW_PAYLOADS: signRawPayloads,
  STAMP_LOGIN: stampLogin,
  CREATE_SESSION_PROFILE: createSessionProfile,
  SET_IP_ALLOWLIST: setIpAllowlist,
  REMOVE_IP_ALLOWLIST: removeIpAllowlist,
  CREATE_MFA_POLICY: createMfaPolicy,
  UPDATE_MFA_POLICY: updateMfaPolicy,
  DELETE_MFA_POLICY: deleteMfaPolicy,
  UPDATE_ROOT_QUORUM: updateRootQuorum,
} satisfies { [Type in keyof typeof ActivityType]?: unknown }

/** An activity of whatever type: its reader made sure that the parameters are those of the type. */
export type AnyActivity = {
  check?(parameters: never): void
  run(parameters: never, context: ActivityContext): unknown
}

export const activities: ReadonlyMap<string, AnyActivity> = new Map(
  Object.entries(SERVED).map(([type, activity]) => [`ACTIVITY_TYPE_${type}`, activity]),
)
