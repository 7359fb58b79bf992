import { getActivity } from "./get-activity.ts"
import { getBootProof, getLatestBootProof } from "./boot-proofs.ts"
import { getApiKey } from "./get-api-key.ts"
import { getApiKeys } from "./get-api-keys.ts"
import { getAuthenticator } from "./get-authenticator.ts"
import { getAuthenticators } from "./get-authenticators.ts"
import { getMfaPolicies } from "./get-mfa-policies.ts"
import { getMfaPolicy } from "./get-mfa-policy.ts"
import { getMfaStatus } from "./get-mfa-status.ts"
import { getOauth2Credential } from "./get-oauth2-credential.ts"
import { getOauthProviders } from "./get-oauth-providers.ts"
import { getPolicyEvaluations } from "./get-policy-evaluations.ts"
import { getOrganization } from "./get-organization.ts"
import { getIpAllowlist } from "./get-ip-allowlist.ts"
import { getPolicy } from "./get-policy.ts"
import { getPrivateKey } from "./get-private-key.ts"
import { getOrganizationConfigs } from "./get-organization-configs.ts"
import { getSessionProfile } from "./get-session-profile.ts"
import { getSessionProfiles } from "./get-session-profiles.ts"
import { getSmartContractInterface } from "./get-smart-contract-interface.ts"
import { getUser } from "./get-user.ts"
import { getWallet } from "./get-wallet.ts"
import { getWalletAccount } from "./get-wallet-account.ts"
import { listOauth2Credentials } from "./list-oauth2-credentials.ts"
import { listActivities } from "./list-activities.ts"
import { listAppProofs } from "./list-app-proofs.ts"
import { listSuborgs } from "./list-suborgs.ts"
import { listPolicies } from "./list-policies.ts"
import { listPrivateKeys } from "./list-private-keys.ts"
import { listPrivateKeyTags } from "./list-private-key-tags.ts"
import { listUserTags } from "./list-user-tags.ts"
import { listSmartContractInterfaces } from "./list-smart-contract-interfaces.ts"
import { listUsers } from "./list-users.ts"
import { listVerifiedSuborgs } from "./list-verified-suborgs.ts"
import { listWalletAccounts } from "./list-wallet-accounts.ts"
import { listWallets } from "./list-wallets.ts"
import type { Query } from "./shared/query.ts"
import { simulatePolicies } from "./simulate-policies.ts"
import { whoami } from "./whoami.ts"

/** The queries this release answers, by path; those declared and missing here answer 501. */
export const queries: ReadonlyMap<string, Query<never>> = new Map<string, Query<never>>([
  ["whoami", whoami],
  ["get_organization", getOrganization],
  ["list_suborgs", listSuborgs],
  ["list_verified_suborgs", listVerifiedSuborgs],
  ["get_organization_configs", getOrganizationConfigs],
  ["get_user", getUser],
  ["list_users", listUsers],
  ["list_user_tags", listUserTags],
  ["get_api_key", getApiKey],
  ["get_api_keys", getApiKeys],
  ["get_authenticators", getAuthenticators],
  ["get_authenticator", getAuthenticator],
  ["get_oauth_providers", getOauthProviders],
  ["get_oauth2_credential", getOauth2Credential],
  ["list_oauth2_credentials", listOauth2Credentials],
  ["get_wallet", getWallet],
  ["get_wallet_account", getWalletAccount],
  ["list_wallets", listWallets],
  ["list_wallet_accounts", listWalletAccounts],
  ["get_private_key", getPrivateKey],
  ["list_private_keys", listPrivateKeys],
  ["list_private_key_tags", listPrivateKeyTags],
  ["get_session_profile", getSessionProfile],
  ["get_session_profiles", getSessionProfiles],
  ["get_ip_allowlist", getIpAllowlist],
  ["get_policy", getPolicy],
  ["list_policies", listPolicies],
  ["get_smart_contract_interface", getSmartContractInterface],
  ["list_smart_contract_interfaces", listSmartContractInterfaces],
  ["get_activity", getActivity],
  ["list_activities", listActivities],
  ["simulate_policies", simulatePolicies],
  ["list_app_proofs", listAppProofs],
  ["get_boot_proof", getBootProof],
  ["get_latest_boot_proof", getLatestBootProof],
  ["get_policy_evaluations", getPolicyEvaluations],
  ["get_mfa_policy", getMfaPolicy],
  ["get_mfa_policies", getMfaPolicies],
  ["get_mfa_status", getMfaStatus],
])
