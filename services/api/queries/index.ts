// Generated from proto/countersign/api/v1/queries.proto by `npm run generate`: not edited by hand.
import type {
  GetActivePoliciesRequest,
  GetActivityRequest,
  GetApiKeyRequest,
  GetApiKeysRequest,
  GetAuthProxyConfigRequest,
  GetAuthenticatorRequest,
  GetAuthenticatorsRequest,
  GetBootProofRequest,
  GetDeploymentStateRequest,
  GetGasUsageRequest,
  GetIpAllowlistRequest,
  GetLatestBootProofRequest,
  GetLogConsistencyRequest,
  GetLogProofsRequest,
  GetMfaPoliciesRequest,
  GetMfaPolicyRequest,
  GetMfaStatusRequest,
  GetNoncesRequest,
  GetOauth2CredentialRequest,
  GetOauthProvidersRequest,
  GetOnrampTransactionStatusRequest,
  GetOrganizationConfigsRequest,
  GetOrganizationDocumentRequest,
  GetOrganizationHeadRequest,
  GetOrganizationRequest,
  GetPolicyEvaluationsRequest,
  GetPolicyRequest,
  GetPrivateKeyRequest,
  GetSendEstimateRequest,
  GetSendReplacementRequest,
  GetSendTransactionStatusRequest,
  GetSessionProfileRequest,
  GetSessionProfilesRequest,
  GetSmartContractInterfaceRequest,
  GetSuborgSummariesRequest,
  GetUserRequest,
  GetVelocityControlRequest,
  GetWalletAccountRequest,
  GetWalletAddressBalancesRequest,
  GetWalletRequest,
  GetWebhookDeliveryRequest,
  ListActivitiesRequest,
  ListAppProofsRequest,
  ListDecisionReceiptsRequest,
  ListEmailTemplatesRequest,
  ListFiatOnRampCredentialsRequest,
  ListLoginSuborgsRequest,
  ListOauth2CredentialsRequest,
  ListPoliciesRequest,
  ListPrivateKeyTagsRequest,
  ListPrivateKeysRequest,
  ListSecretsRequest,
  ListSmartContractInterfacesRequest,
  ListSuborgsRequest,
  ListSupportedAssetsRequest,
  ListUserTagsRequest,
  ListUsersRequest,
  ListVelocityControlsRequest,
  ListVerifiedSuborgsRequest,
  ListWalletAccountsRequest,
  ListWalletsRequest,
  ListWebhookDeliveriesRequest,
  ListWebhookEndpointsRequest,
  SimulatePoliciesRequest,
  VerifyOidcTokenRequest,
  WhoamiRequest,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { whoami } from "./whoami.ts"
import { getOrganization } from "./get-organization.ts"
import { getOrganizationDocument } from "./get-organization-document.ts"
import { getOrganizationHead } from "./get-organization-head.ts"
import { listDecisionReceipts } from "./list-decision-receipts.ts"
import { getLogProofs } from "./get-log-proofs.ts"
import { getLogConsistency } from "./get-log-consistency.ts"
import { getOrganizationConfigs } from "./get-organization-configs.ts"
import { listSuborgs } from "./list-suborgs.ts"
import { getSuborgSummaries } from "./get-suborg-summaries.ts"
import { listVerifiedSuborgs } from "./list-verified-suborgs.ts"
import { listLoginSuborgs } from "./list-login-suborgs.ts"
import { getIpAllowlist } from "./get-ip-allowlist.ts"
import { getActivity } from "./get-activity.ts"
import { listActivities } from "./list-activities.ts"
import { getPolicyEvaluations } from "./get-policy-evaluations.ts"
import { simulatePolicies } from "./simulate-policies.ts"
import { listAppProofs } from "./list-app-proofs.ts"
import { getUser } from "./get-user.ts"
import { listUsers } from "./list-users.ts"
import { listUserTags } from "./list-user-tags.ts"
import { getApiKey } from "./get-api-key.ts"
import { getApiKeys } from "./get-api-keys.ts"
import { getAuthenticator } from "./get-authenticator.ts"
import { getAuthenticators } from "./get-authenticators.ts"
import { getOauthProviders } from "./get-oauth-providers.ts"
import { getOauth2Credential } from "./get-oauth2-credential.ts"
import { listOauth2Credentials } from "./list-oauth2-credentials.ts"
import { getSessionProfile } from "./get-session-profile.ts"
import { getSessionProfiles } from "./get-session-profiles.ts"
import { getVelocityControl } from "./get-velocity-control.ts"
import { listVelocityControls } from "./list-velocity-controls.ts"
import { getMfaPolicy } from "./get-mfa-policy.ts"
import { getMfaPolicies } from "./get-mfa-policies.ts"
import { getMfaStatus } from "./get-mfa-status.ts"
import { getPolicy } from "./get-policy.ts"
import { listPolicies } from "./list-policies.ts"
import { getActivePolicies } from "./get-active-policies.ts"
import { getSmartContractInterface } from "./get-smart-contract-interface.ts"
import { listSmartContractInterfaces } from "./list-smart-contract-interfaces.ts"
import { listEmailTemplates } from "./list-email-templates.ts"
import { getWallet } from "./get-wallet.ts"
import { listWallets } from "./list-wallets.ts"
import { getWalletAccount } from "./get-wallet-account.ts"
import { listWalletAccounts } from "./list-wallet-accounts.ts"
import { getPrivateKey } from "./get-private-key.ts"
import { listPrivateKeys } from "./list-private-keys.ts"
import { listPrivateKeyTags } from "./list-private-key-tags.ts"
import { listSecrets } from "./list-secrets.ts"
import { getSendTransactionStatus } from "./get-send-transaction-status.ts"
import { getNonces } from "./get-nonces.ts"
import { listSupportedAssets } from "./list-supported-assets.ts"
import { getWalletAddressBalances } from "./get-wallet-address-balances.ts"
import { getSendEstimate } from "./get-send-estimate.ts"
import { getSendReplacement } from "./get-send-replacement.ts"
import { getAuthProxyConfig } from "./get-auth-proxy-config.ts"
import { getGasUsage } from "./get-gas-usage.ts"
import { getDeploymentState } from "./get-deployment-state.ts"
import { listWebhookEndpoints } from "./list-webhook-endpoints.ts"
import { listWebhookDeliveries } from "./list-webhook-deliveries.ts"
import { getWebhookDelivery } from "./get-webhook-delivery.ts"
import { getBootProof } from "./get-boot-proof.ts"
import { getLatestBootProof } from "./get-latest-boot-proof.ts"
import { listFiatOnRampCredentials } from "./list-fiat-on-ramp-credentials.ts"
import { getOnrampTransactionStatus } from "./get-onramp-transaction-status.ts"
import { verifyOidcToken } from "./verify-oidc-token.ts"
import type { Query } from "./shared/query.ts"

/** The queries this release answers, by path. */
export const queries: ReadonlyMap<string, Query<never>> = new Map<string, Query<never>>([
  ["whoami", whoami satisfies Query<WhoamiRequest>],
  ["get_organization", getOrganization satisfies Query<GetOrganizationRequest>],
  ["get_organization_document", getOrganizationDocument satisfies Query<GetOrganizationDocumentRequest>],
  ["get_organization_head", getOrganizationHead satisfies Query<GetOrganizationHeadRequest>],
  ["list_decision_receipts", listDecisionReceipts satisfies Query<ListDecisionReceiptsRequest>],
  ["get_log_proofs", getLogProofs satisfies Query<GetLogProofsRequest>],
  ["get_log_consistency", getLogConsistency satisfies Query<GetLogConsistencyRequest>],
  ["get_organization_configs", getOrganizationConfigs satisfies Query<GetOrganizationConfigsRequest>],
  ["list_suborgs", listSuborgs satisfies Query<ListSuborgsRequest>],
  ["get_suborg_summaries", getSuborgSummaries satisfies Query<GetSuborgSummariesRequest>],
  ["list_verified_suborgs", listVerifiedSuborgs satisfies Query<ListVerifiedSuborgsRequest>],
  ["list_login_suborgs", listLoginSuborgs satisfies Query<ListLoginSuborgsRequest>],
  ["get_ip_allowlist", getIpAllowlist satisfies Query<GetIpAllowlistRequest>],
  ["get_activity", getActivity satisfies Query<GetActivityRequest>],
  ["list_activities", listActivities satisfies Query<ListActivitiesRequest>],
  ["get_policy_evaluations", getPolicyEvaluations satisfies Query<GetPolicyEvaluationsRequest>],
  ["simulate_policies", simulatePolicies satisfies Query<SimulatePoliciesRequest>],
  ["list_app_proofs", listAppProofs satisfies Query<ListAppProofsRequest>],
  ["get_user", getUser satisfies Query<GetUserRequest>],
  ["list_users", listUsers satisfies Query<ListUsersRequest>],
  ["list_user_tags", listUserTags satisfies Query<ListUserTagsRequest>],
  ["get_api_key", getApiKey satisfies Query<GetApiKeyRequest>],
  ["get_api_keys", getApiKeys satisfies Query<GetApiKeysRequest>],
  ["get_authenticator", getAuthenticator satisfies Query<GetAuthenticatorRequest>],
  ["get_authenticators", getAuthenticators satisfies Query<GetAuthenticatorsRequest>],
  ["get_oauth_providers", getOauthProviders satisfies Query<GetOauthProvidersRequest>],
  ["get_oauth2_credential", getOauth2Credential satisfies Query<GetOauth2CredentialRequest>],
  ["list_oauth2_credentials", listOauth2Credentials satisfies Query<ListOauth2CredentialsRequest>],
  ["get_session_profile", getSessionProfile satisfies Query<GetSessionProfileRequest>],
  ["get_session_profiles", getSessionProfiles satisfies Query<GetSessionProfilesRequest>],
  ["get_velocity_control", getVelocityControl satisfies Query<GetVelocityControlRequest>],
  ["list_velocity_controls", listVelocityControls satisfies Query<ListVelocityControlsRequest>],
  ["get_mfa_policy", getMfaPolicy satisfies Query<GetMfaPolicyRequest>],
  ["get_mfa_policies", getMfaPolicies satisfies Query<GetMfaPoliciesRequest>],
  ["get_mfa_status", getMfaStatus satisfies Query<GetMfaStatusRequest>],
  ["get_policy", getPolicy satisfies Query<GetPolicyRequest>],
  ["list_policies", listPolicies satisfies Query<ListPoliciesRequest>],
  ["get_active_policies", getActivePolicies satisfies Query<GetActivePoliciesRequest>],
  [
    "get_smart_contract_interface",
    getSmartContractInterface satisfies Query<GetSmartContractInterfaceRequest>,
  ],
  [
    "list_smart_contract_interfaces",
    listSmartContractInterfaces satisfies Query<ListSmartContractInterfacesRequest>,
  ],
  ["list_email_templates", listEmailTemplates satisfies Query<ListEmailTemplatesRequest>],
  ["get_wallet", getWallet satisfies Query<GetWalletRequest>],
  ["list_wallets", listWallets satisfies Query<ListWalletsRequest>],
  ["get_wallet_account", getWalletAccount satisfies Query<GetWalletAccountRequest>],
  ["list_wallet_accounts", listWalletAccounts satisfies Query<ListWalletAccountsRequest>],
  ["get_private_key", getPrivateKey satisfies Query<GetPrivateKeyRequest>],
  ["list_private_keys", listPrivateKeys satisfies Query<ListPrivateKeysRequest>],
  ["list_private_key_tags", listPrivateKeyTags satisfies Query<ListPrivateKeyTagsRequest>],
  ["list_secrets", listSecrets satisfies Query<ListSecretsRequest>],
  ["get_send_transaction_status", getSendTransactionStatus satisfies Query<GetSendTransactionStatusRequest>],
  ["get_nonces", getNonces satisfies Query<GetNoncesRequest>],
  ["list_supported_assets", listSupportedAssets satisfies Query<ListSupportedAssetsRequest>],
  ["get_wallet_address_balances", getWalletAddressBalances satisfies Query<GetWalletAddressBalancesRequest>],
  ["get_send_estimate", getSendEstimate satisfies Query<GetSendEstimateRequest>],
  ["get_send_replacement", getSendReplacement satisfies Query<GetSendReplacementRequest>],
  ["get_auth_proxy_config", getAuthProxyConfig satisfies Query<GetAuthProxyConfigRequest>],
  ["get_gas_usage", getGasUsage satisfies Query<GetGasUsageRequest>],
  ["get_deployment_state", getDeploymentState satisfies Query<GetDeploymentStateRequest>],
  ["list_webhook_endpoints", listWebhookEndpoints satisfies Query<ListWebhookEndpointsRequest>],
  ["list_webhook_deliveries", listWebhookDeliveries satisfies Query<ListWebhookDeliveriesRequest>],
  ["get_webhook_delivery", getWebhookDelivery satisfies Query<GetWebhookDeliveryRequest>],
  ["get_boot_proof", getBootProof satisfies Query<GetBootProofRequest>],
  ["get_latest_boot_proof", getLatestBootProof satisfies Query<GetLatestBootProofRequest>],
  [
    "list_fiat_on_ramp_credentials",
    listFiatOnRampCredentials satisfies Query<ListFiatOnRampCredentialsRequest>,
  ],
  [
    "get_onramp_transaction_status",
    getOnrampTransactionStatus satisfies Query<GetOnrampTransactionStatusRequest>,
  ],
  ["verify_oidc_token", verifyOidcToken satisfies Query<VerifyOidcTokenRequest>],
])
