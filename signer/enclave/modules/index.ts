// Generated from proto/countersign/api/v1/activities.proto by `npm run generate`: not edited by hand.
import type { AnyActivity } from "../activities/activity.ts"
import { createOrganization } from "./organization/create-organization.ts"
import {
  createSubOrganizationV4,
  createSubOrganizationV5,
  createSubOrganizationV6,
  createSubOrganizationV7,
  createSubOrganizationV8,
} from "./organization/create-sub-organization.ts"
import { deleteSubOrganization } from "./organization/delete-sub-organization.ts"
import { updateOrganizationName } from "./organization/update-organization-name.ts"
import { updateRootQuorum } from "./organization/update-root-quorum.ts"
import { setOrganizationFeature } from "./organization/set-organization-feature.ts"
import { removeOrganizationFeature } from "./organization/remove-organization-feature.ts"
import { setIpAllowlist } from "./organization/set-ip-allowlist.ts"
import { removeIpAllowlist } from "./organization/remove-ip-allowlist.ts"
import { enableAuthProxy } from "./auth-proxy/enable-auth-proxy.ts"
import { disableAuthProxy } from "./auth-proxy/disable-auth-proxy.ts"
import { updateAuthProxyConfig } from "./auth-proxy/update-auth-proxy-config.ts"
import { createUsersV2, createUsersV3, createUsersV4 } from "./users/create-users.ts"
import { createApiOnlyUsers } from "./users/create-api-only-users.ts"
import { updateUser } from "./users/update-user.ts"
import { updateUserName } from "./users/update-user-name.ts"
import { updateUserEmail } from "./users/update-user-email.ts"
import { updateUserPhoneNumber } from "./users/update-user-phone-number.ts"
import { deleteUsers } from "./users/delete-users.ts"
import { createUserTag } from "./users/create-user-tag.ts"
import { updateUserTag } from "./users/update-user-tag.ts"
import { deleteUserTags } from "./users/delete-user-tags.ts"
import { createInvitations } from "./users/create-invitations.ts"
import { deleteInvitation } from "./users/delete-invitation.ts"
import { createApiKeys, createApiKeysV2 } from "./users/create-api-keys.ts"
import { deleteApiKeys } from "./users/delete-api-keys.ts"
import { createAuthenticatorsV2 } from "./users/create-authenticators.ts"
import { deleteAuthenticators } from "./users/delete-authenticators.ts"
import { createOauthProviders, createOauthProvidersV2 } from "./users/create-oauth-providers.ts"
import { deleteOauthProviders } from "./users/delete-oauth-providers.ts"
import { stampLogin } from "./login/stamp-login.ts"
import { initOtp, initOtpV2, initOtpV3 } from "./login/init-otp.ts"
import { verifyOtp, verifyOtpV2 } from "./login/verify-otp.ts"
import { otpLogin, otpLoginV2 } from "./login/otp-login.ts"
import { oauthLogin } from "./login/oauth-login.ts"
import { oauth2Authenticate } from "./login/oauth2-authenticate.ts"
import { createOauth2Credential } from "./login/create-oauth2-credential.ts"
import { updateOauth2Credential } from "./login/update-oauth2-credential.ts"
import { deleteOauth2Credential } from "./login/delete-oauth2-credential.ts"
import { createReadOnlySession } from "./login/create-read-only-session.ts"
import { createReadWriteSession, createReadWriteSessionV2 } from "./login/create-read-write-session.ts"
import { initOtpAuth, initOtpAuthV2, initOtpAuthV3 } from "./login/init-otp-auth.ts"
import { otpAuth } from "./login/otp-auth.ts"
import { emailAuth, emailAuthV2, emailAuthV3 } from "./login/email-auth.ts"
import { oauth } from "./login/oauth.ts"
import { initUserEmailRecovery, initUserEmailRecoveryV2 } from "./login/init-user-email-recovery.ts"
import { recoverUser } from "./login/recover-user.ts"
import { createSessionProfile } from "./login/create-session-profile.ts"
import { createMfaPolicy } from "./login/create-mfa-policy.ts"
import { updateMfaPolicy } from "./login/update-mfa-policy.ts"
import { deleteMfaPolicy } from "./login/delete-mfa-policy.ts"
import { deleteSessionProfile } from "./login/delete-session-profile.ts"
import { createPolicyV3 } from "./policies/create-policy.ts"
import { createPolicies } from "./policies/create-policies.ts"
import { updatePolicy, updatePolicyV2 } from "./policies/update-policy.ts"
import { deletePolicy } from "./policies/delete-policy.ts"
import { deletePolicies } from "./policies/delete-policies.ts"
import { createSmartContractInterface } from "./transactions/create-smart-contract-interface.ts"
import { deleteSmartContractInterface } from "./transactions/delete-smart-contract-interface.ts"
import { createVelocityControl } from "./policies/create-velocity-control.ts"
import { deleteVelocityControl } from "./policies/delete-velocity-control.ts"
import { createWallet } from "./wallets/create-wallet.ts"
import { updateWallet } from "./wallets/update-wallet.ts"
import { createWalletAccounts } from "./wallets/create-wallet-accounts.ts"
import { deleteWalletAccounts } from "./wallets/delete-wallet-accounts.ts"
import { updateWalletAccountName } from "./wallets/update-wallet-account-name.ts"
import { deleteWallets } from "./wallets/delete-wallets.ts"
import { initImportWallet } from "./wallets/init-import-wallet.ts"
import { importWallet } from "./wallets/import-wallet.ts"
import { exportWallet } from "./wallets/export-wallet.ts"
import { exportWalletAccount } from "./wallets/export-wallet-account.ts"
import { createPrivateKeys, createPrivateKeysV2 } from "./wallets/create-private-keys.ts"
import { deletePrivateKeys } from "./wallets/delete-private-keys.ts"
import { createPrivateKeyTag } from "./wallets/create-private-key-tag.ts"
import { updatePrivateKeyTag } from "./wallets/update-private-key-tag.ts"
import { deletePrivateKeyTags } from "./wallets/delete-private-key-tags.ts"
import { initImportPrivateKey } from "./wallets/init-import-private-key.ts"
import { importPrivateKey } from "./wallets/import-private-key.ts"
import { exportPrivateKey } from "./wallets/export-private-key.ts"
import { signRawPayload, signRawPayloadV2 } from "./transactions/sign-raw-payload.ts"
import { signRawPayloads } from "./transactions/sign-raw-payloads.ts"
import { signTransaction, signTransactionV2 } from "./transactions/sign-transaction.ts"
import { ethSendTransaction, ethSendTransactionV2 } from "./transactions/eth-send-transaction.ts"
import { solSendTransaction, solSendTransactionV2 } from "./transactions/sol-send-transaction.ts"
import { ethSendRawTransaction } from "./transactions/eth-send-raw-transaction.ts"
import { ethUndelegate7702 } from "./transactions/eth-undelegate-7702.ts"
import { upsertGasUsageConfig } from "./transactions/upsert-gas-usage-config.ts"
import { ethReplaceTransaction } from "./transactions/eth-replace-transaction.ts"
import { ethCancelTransaction } from "./transactions/eth-cancel-transaction.ts"
import { createWebhookEndpoint } from "./webhooks/create-webhook-endpoint.ts"
import { updateWebhookEndpoint } from "./webhooks/update-webhook-endpoint.ts"
import { deleteWebhookEndpoint } from "./webhooks/delete-webhook-endpoint.ts"
import { redeliverWebhookDeliveries } from "./webhooks/redeliver-webhook-deliveries.ts"
import { sendWebhookTestEvent } from "./webhooks/send-webhook-test-event.ts"
import { initFiatOnRamp } from "./on-ramp/init-fiat-on-ramp.ts"
import { createFiatOnRampCredential } from "./on-ramp/create-fiat-on-ramp-credential.ts"
import { updateFiatOnRampCredential } from "./on-ramp/update-fiat-on-ramp-credential.ts"
import { deleteFiatOnRampCredential } from "./on-ramp/delete-fiat-on-ramp-credential.ts"
import { initImportSecrets } from "./wallets/init-import-secrets.ts"
import { importSecrets } from "./wallets/import-secrets.ts"
import { exportSecrets } from "./wallets/export-secrets.ts"
import { deleteSecrets } from "./wallets/delete-secrets.ts"
import { createEmailTemplate } from "./login/create-email-template.ts"
import { deleteEmailTemplate } from "./login/delete-email-template.ts"

/** The activities this release carries out, by type. */
export const activities: ReadonlyMap<string, AnyActivity> = new Map<string, AnyActivity>([
  ["ACTIVITY_TYPE_CREATE_ORGANIZATION", createOrganization],
  ["ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V4", createSubOrganizationV4],
  ["ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V5", createSubOrganizationV5],
  ["ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V6", createSubOrganizationV6],
  ["ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7", createSubOrganizationV7],
  ["ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8", createSubOrganizationV8],
  ["ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION", deleteSubOrganization],
  ["ACTIVITY_TYPE_UPDATE_ORGANIZATION_NAME", updateOrganizationName],
  ["ACTIVITY_TYPE_UPDATE_ROOT_QUORUM", updateRootQuorum],
  ["ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE", setOrganizationFeature],
  ["ACTIVITY_TYPE_REMOVE_ORGANIZATION_FEATURE", removeOrganizationFeature],
  ["ACTIVITY_TYPE_SET_IP_ALLOWLIST", setIpAllowlist],
  ["ACTIVITY_TYPE_REMOVE_IP_ALLOWLIST", removeIpAllowlist],
  ["ACTIVITY_TYPE_ENABLE_AUTH_PROXY", enableAuthProxy],
  ["ACTIVITY_TYPE_DISABLE_AUTH_PROXY", disableAuthProxy],
  ["ACTIVITY_TYPE_UPDATE_AUTH_PROXY_CONFIG", updateAuthProxyConfig],
  ["ACTIVITY_TYPE_CREATE_USERS_V2", createUsersV2],
  ["ACTIVITY_TYPE_CREATE_USERS_V3", createUsersV3],
  ["ACTIVITY_TYPE_CREATE_USERS_V4", createUsersV4],
  ["ACTIVITY_TYPE_CREATE_API_ONLY_USERS", createApiOnlyUsers],
  ["ACTIVITY_TYPE_UPDATE_USER", updateUser],
  ["ACTIVITY_TYPE_UPDATE_USER_NAME", updateUserName],
  ["ACTIVITY_TYPE_UPDATE_USER_EMAIL", updateUserEmail],
  ["ACTIVITY_TYPE_UPDATE_USER_PHONE_NUMBER", updateUserPhoneNumber],
  ["ACTIVITY_TYPE_DELETE_USERS", deleteUsers],
  ["ACTIVITY_TYPE_CREATE_USER_TAG", createUserTag],
  ["ACTIVITY_TYPE_UPDATE_USER_TAG", updateUserTag],
  ["ACTIVITY_TYPE_DELETE_USER_TAGS", deleteUserTags],
  ["ACTIVITY_TYPE_CREATE_INVITATIONS", createInvitations],
  ["ACTIVITY_TYPE_DELETE_INVITATION", deleteInvitation],
  ["ACTIVITY_TYPE_CREATE_API_KEYS", createApiKeys],
  ["ACTIVITY_TYPE_CREATE_API_KEYS_V2", createApiKeysV2],
  ["ACTIVITY_TYPE_DELETE_API_KEYS", deleteApiKeys],
  ["ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2", createAuthenticatorsV2],
  ["ACTIVITY_TYPE_DELETE_AUTHENTICATORS", deleteAuthenticators],
  ["ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS", createOauthProviders],
  ["ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2", createOauthProvidersV2],
  ["ACTIVITY_TYPE_DELETE_OAUTH_PROVIDERS", deleteOauthProviders],
  ["ACTIVITY_TYPE_STAMP_LOGIN", stampLogin],
  ["ACTIVITY_TYPE_INIT_OTP", initOtp],
  ["ACTIVITY_TYPE_INIT_OTP_V2", initOtpV2],
  ["ACTIVITY_TYPE_INIT_OTP_V3", initOtpV3],
  ["ACTIVITY_TYPE_VERIFY_OTP", verifyOtp],
  ["ACTIVITY_TYPE_VERIFY_OTP_V2", verifyOtpV2],
  ["ACTIVITY_TYPE_OTP_LOGIN", otpLogin],
  ["ACTIVITY_TYPE_OTP_LOGIN_V2", otpLoginV2],
  ["ACTIVITY_TYPE_OAUTH_LOGIN", oauthLogin],
  ["ACTIVITY_TYPE_OAUTH2_AUTHENTICATE", oauth2Authenticate],
  ["ACTIVITY_TYPE_CREATE_OAUTH2_CREDENTIAL", createOauth2Credential],
  ["ACTIVITY_TYPE_UPDATE_OAUTH2_CREDENTIAL", updateOauth2Credential],
  ["ACTIVITY_TYPE_DELETE_OAUTH2_CREDENTIAL", deleteOauth2Credential],
  ["ACTIVITY_TYPE_CREATE_READ_ONLY_SESSION", createReadOnlySession],
  ["ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION", createReadWriteSession],
  ["ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION_V2", createReadWriteSessionV2],
  ["ACTIVITY_TYPE_INIT_OTP_AUTH", initOtpAuth],
  ["ACTIVITY_TYPE_INIT_OTP_AUTH_V2", initOtpAuthV2],
  ["ACTIVITY_TYPE_INIT_OTP_AUTH_V3", initOtpAuthV3],
  ["ACTIVITY_TYPE_OTP_AUTH", otpAuth],
  ["ACTIVITY_TYPE_EMAIL_AUTH", emailAuth],
  ["ACTIVITY_TYPE_EMAIL_AUTH_V2", emailAuthV2],
  ["ACTIVITY_TYPE_EMAIL_AUTH_V3", emailAuthV3],
  ["ACTIVITY_TYPE_OAUTH", oauth],
  ["ACTIVITY_TYPE_INIT_USER_EMAIL_RECOVERY", initUserEmailRecovery],
  ["ACTIVITY_TYPE_INIT_USER_EMAIL_RECOVERY_V2", initUserEmailRecoveryV2],
  ["ACTIVITY_TYPE_RECOVER_USER", recoverUser],
  ["ACTIVITY_TYPE_CREATE_SESSION_PROFILE", createSessionProfile],
  ["ACTIVITY_TYPE_CREATE_MFA_POLICY", createMfaPolicy],
  ["ACTIVITY_TYPE_UPDATE_MFA_POLICY", updateMfaPolicy],
  ["ACTIVITY_TYPE_DELETE_MFA_POLICY", deleteMfaPolicy],
  ["ACTIVITY_TYPE_DELETE_SESSION_PROFILE", deleteSessionProfile],
  ["ACTIVITY_TYPE_CREATE_POLICY_V3", createPolicyV3],
  ["ACTIVITY_TYPE_CREATE_POLICIES", createPolicies],
  ["ACTIVITY_TYPE_UPDATE_POLICY", updatePolicy],
  ["ACTIVITY_TYPE_UPDATE_POLICY_V2", updatePolicyV2],
  ["ACTIVITY_TYPE_DELETE_POLICY", deletePolicy],
  ["ACTIVITY_TYPE_DELETE_POLICIES", deletePolicies],
  ["ACTIVITY_TYPE_CREATE_SMART_CONTRACT_INTERFACE", createSmartContractInterface],
  ["ACTIVITY_TYPE_DELETE_SMART_CONTRACT_INTERFACE", deleteSmartContractInterface],
  ["ACTIVITY_TYPE_CREATE_VELOCITY_CONTROL", createVelocityControl],
  ["ACTIVITY_TYPE_DELETE_VELOCITY_CONTROL", deleteVelocityControl],
  ["ACTIVITY_TYPE_CREATE_WALLET", createWallet],
  ["ACTIVITY_TYPE_UPDATE_WALLET", updateWallet],
  ["ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS", createWalletAccounts],
  ["ACTIVITY_TYPE_DELETE_WALLET_ACCOUNTS", deleteWalletAccounts],
  ["ACTIVITY_TYPE_UPDATE_WALLET_ACCOUNT_NAME", updateWalletAccountName],
  ["ACTIVITY_TYPE_DELETE_WALLETS", deleteWallets],
  ["ACTIVITY_TYPE_INIT_IMPORT_WALLET", initImportWallet],
  ["ACTIVITY_TYPE_IMPORT_WALLET", importWallet],
  ["ACTIVITY_TYPE_EXPORT_WALLET", exportWallet],
  ["ACTIVITY_TYPE_EXPORT_WALLET_ACCOUNT", exportWalletAccount],
  ["ACTIVITY_TYPE_CREATE_PRIVATE_KEYS", createPrivateKeys],
  ["ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2", createPrivateKeysV2],
  ["ACTIVITY_TYPE_DELETE_PRIVATE_KEYS", deletePrivateKeys],
  ["ACTIVITY_TYPE_CREATE_PRIVATE_KEY_TAG", createPrivateKeyTag],
  ["ACTIVITY_TYPE_UPDATE_PRIVATE_KEY_TAG", updatePrivateKeyTag],
  ["ACTIVITY_TYPE_DELETE_PRIVATE_KEY_TAGS", deletePrivateKeyTags],
  ["ACTIVITY_TYPE_INIT_IMPORT_PRIVATE_KEY", initImportPrivateKey],
  ["ACTIVITY_TYPE_IMPORT_PRIVATE_KEY", importPrivateKey],
  ["ACTIVITY_TYPE_EXPORT_PRIVATE_KEY", exportPrivateKey],
  ["ACTIVITY_TYPE_SIGN_RAW_PAYLOAD", signRawPayload],
  ["ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", signRawPayloadV2],
  ["ACTIVITY_TYPE_SIGN_RAW_PAYLOADS", signRawPayloads],
  ["ACTIVITY_TYPE_SIGN_TRANSACTION", signTransaction],
  ["ACTIVITY_TYPE_SIGN_TRANSACTION_V2", signTransactionV2],
  ["ACTIVITY_TYPE_ETH_SEND_TRANSACTION", ethSendTransaction],
  ["ACTIVITY_TYPE_ETH_SEND_TRANSACTION_V2", ethSendTransactionV2],
  ["ACTIVITY_TYPE_SOL_SEND_TRANSACTION", solSendTransaction],
  ["ACTIVITY_TYPE_SOL_SEND_TRANSACTION_V2", solSendTransactionV2],
  ["ACTIVITY_TYPE_ETH_SEND_RAW_TRANSACTION", ethSendRawTransaction],
  ["ACTIVITY_TYPE_ETH_UNDELEGATE_7702", ethUndelegate7702],
  ["ACTIVITY_TYPE_UPSERT_GAS_USAGE_CONFIG", upsertGasUsageConfig],
  ["ACTIVITY_TYPE_ETH_REPLACE_TRANSACTION", ethReplaceTransaction],
  ["ACTIVITY_TYPE_ETH_CANCEL_TRANSACTION", ethCancelTransaction],
  ["ACTIVITY_TYPE_CREATE_WEBHOOK_ENDPOINT", createWebhookEndpoint],
  ["ACTIVITY_TYPE_UPDATE_WEBHOOK_ENDPOINT", updateWebhookEndpoint],
  ["ACTIVITY_TYPE_DELETE_WEBHOOK_ENDPOINT", deleteWebhookEndpoint],
  ["ACTIVITY_TYPE_REDELIVER_WEBHOOK_DELIVERIES", redeliverWebhookDeliveries],
  ["ACTIVITY_TYPE_SEND_WEBHOOK_TEST_EVENT", sendWebhookTestEvent],
  ["ACTIVITY_TYPE_INIT_FIAT_ON_RAMP", initFiatOnRamp],
  ["ACTIVITY_TYPE_CREATE_FIAT_ON_RAMP_CREDENTIAL", createFiatOnRampCredential],
  ["ACTIVITY_TYPE_UPDATE_FIAT_ON_RAMP_CREDENTIAL", updateFiatOnRampCredential],
  ["ACTIVITY_TYPE_DELETE_FIAT_ON_RAMP_CREDENTIAL", deleteFiatOnRampCredential],
  ["ACTIVITY_TYPE_INIT_IMPORT_SECRETS", initImportSecrets],
  ["ACTIVITY_TYPE_IMPORT_SECRETS", importSecrets],
  ["ACTIVITY_TYPE_EXPORT_SECRETS", exportSecrets],
  ["ACTIVITY_TYPE_DELETE_SECRETS", deleteSecrets],
  ["ACTIVITY_TYPE_CREATE_EMAIL_TEMPLATE", createEmailTemplate],
  ["ACTIVITY_TYPE_DELETE_EMAIL_TEMPLATE", deleteEmailTemplate],
])
