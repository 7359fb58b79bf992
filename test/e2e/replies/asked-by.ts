import type { Test } from "tap"
import type { DocumentedApi } from "../../harness/documented-api.ts"

/**
 * Every served operation with the sequence that asks for it: types of activities without prefix, and paths of queries. Each
 * sequence checks at its end that all of its operations were answered as the tables say. test/architecture/served.test.ts
 * checks that none is missing.
 */
export const ASKED_BY = {
  core: words(`
    UPDATE_ROOT_QUORUM CREATE_USERS_V3 CREATE_USERS_V4 CREATE_API_KEYS CREATE_API_KEYS_V2 DELETE_API_KEYS
    CREATE_AUTHENTICATORS_V2 DELETE_AUTHENTICATORS STAMP_LOGIN CREATE_WALLET UPDATE_WALLET
    CREATE_WALLET_ACCOUNTS UPDATE_WALLET_ACCOUNT_NAME DELETE_WALLET_ACCOUNTS SIGN_RAW_PAYLOAD_V2 SIGN_RAW_PAYLOADS SIGN_TRANSACTION_V2
    ETH_SEND_TRANSACTION SOL_SEND_TRANSACTION ETH_SEND_RAW_TRANSACTION ETH_UNDELEGATE_7702
    UPSERT_GAS_USAGE_CONFIG whoami get_organization list_suborgs list_verified_suborgs list_login_suborgs
    get_activity list_activities get_user list_users get_api_keys get_authenticator get_authenticators
    get_wallet list_wallets get_wallet_account list_wallet_accounts get_deployment_state APPROVE_ACTIVITY
    REJECT_ACTIVITY ETH_SEND_TRANSACTION_V2 SOL_SEND_TRANSACTION_V2
  `),
  users: words(`
    CREATE_SUB_ORGANIZATION_V7 DELETE_SUB_ORGANIZATION UPDATE_ORGANIZATION_NAME SET_ORGANIZATION_FEATURE
    REMOVE_ORGANIZATION_FEATURE CREATE_USERS_V2 CREATE_API_ONLY_USERS UPDATE_USER UPDATE_USER_NAME
    UPDATE_USER_EMAIL UPDATE_USER_PHONE_NUMBER DELETE_USERS CREATE_USER_TAG UPDATE_USER_TAG DELETE_USER_TAGS
    get_organization_document get_organization_configs get_suborg_summaries list_user_tags get_api_key
    CREATE_SUB_ORGANIZATION_V4 CREATE_SUB_ORGANIZATION_V5 CREATE_SUB_ORGANIZATION_V6 CREATE_SUB_ORGANIZATION_V8
  `),
  keys: words(`
    CREATE_PRIVATE_KEYS CREATE_PRIVATE_KEYS_V2 DELETE_PRIVATE_KEYS CREATE_PRIVATE_KEY_TAG UPDATE_PRIVATE_KEY_TAG
    DELETE_PRIVATE_KEY_TAGS SIGN_RAW_PAYLOAD SIGN_TRANSACTION get_private_key list_private_keys
    list_private_key_tags
  `),
  bundles: words(`
    DELETE_WALLETS INIT_IMPORT_WALLET IMPORT_WALLET EXPORT_WALLET EXPORT_WALLET_ACCOUNT INIT_IMPORT_PRIVATE_KEY
    IMPORT_PRIVATE_KEY EXPORT_PRIVATE_KEY
  `),
  secrets: words(`
    INIT_IMPORT_SECRETS IMPORT_SECRETS EXPORT_SECRETS DELETE_SECRETS get_active_policies list_secrets
  `),
  interfaces: words(`
    CREATE_SMART_CONTRACT_INTERFACE DELETE_SMART_CONTRACT_INTERFACE get_smart_contract_interface
    list_smart_contract_interfaces
  `),
  policies: words(`
    CREATE_POLICY_V3 CREATE_POLICIES UPDATE_POLICY UPDATE_POLICY_V2 DELETE_POLICY DELETE_POLICIES get_policy
    list_policies
  `),
  simulations: words("simulate_policies"),
  "session-profiles": words(`
    CREATE_SESSION_PROFILE DELETE_SESSION_PROFILE get_session_profile get_session_profiles
  `),
  "made-sessions": words("CREATE_READ_ONLY_SESSION CREATE_READ_WRITE_SESSION CREATE_READ_WRITE_SESSION_V2"),
  "mfa-policies": words(`
    CREATE_MFA_POLICY UPDATE_MFA_POLICY DELETE_MFA_POLICY get_mfa_policy get_mfa_policies get_mfa_status
  `),
  "ip-allowlists": words("SET_IP_ALLOWLIST REMOVE_IP_ALLOWLIST get_ip_allowlist"),
  "velocity-controls": words(`
    CREATE_VELOCITY_CONTROL DELETE_VELOCITY_CONTROL get_velocity_control list_velocity_controls
  `),
  "auth-proxy-settings": words(
    "ENABLE_AUTH_PROXY DISABLE_AUTH_PROXY UPDATE_AUTH_PROXY_CONFIG get_auth_proxy_config",
  ),
  evaluation: words("get_policy_evaluations"),
  proof: words("list_app_proofs get_boot_proof get_latest_boot_proof"),
  log: words("get_organization_head list_decision_receipts get_log_proofs get_log_consistency"),
  otp: words(`
    INIT_OTP_V2 INIT_OTP_V3 VERIFY_OTP OTP_LOGIN_V2 CREATE_EMAIL_TEMPLATE DELETE_EMAIL_TEMPLATE
    list_email_templates INIT_OTP VERIFY_OTP_V2 OTP_LOGIN
  `),
  "sealed-login": words("INIT_OTP_AUTH INIT_OTP_AUTH_V2 INIT_OTP_AUTH_V3 OTP_AUTH OAUTH"),
  "mailed-key": words(`
    EMAIL_AUTH INIT_USER_EMAIL_RECOVERY RECOVER_USER EMAIL_AUTH_V2 EMAIL_AUTH_V3 INIT_USER_EMAIL_RECOVERY_V2
  `),
  invitation: words("CREATE_INVITATIONS DELETE_INVITATION"),
  oauth: words(`
    CREATE_OAUTH_PROVIDERS CREATE_OAUTH_PROVIDERS_V2 DELETE_OAUTH_PROVIDERS OAUTH_LOGIN CREATE_OAUTH2_CREDENTIAL
    UPDATE_OAUTH2_CREDENTIAL DELETE_OAUTH2_CREDENTIAL get_oauth_providers get_oauth2_credential
    list_oauth2_credentials verify_oidc_token
  `),
  oauth2: words("OAUTH2_AUTHENTICATE"),
  "on-ramp": words(`
    INIT_FIAT_ON_RAMP CREATE_FIAT_ON_RAMP_CREDENTIAL UPDATE_FIAT_ON_RAMP_CREDENTIAL
    DELETE_FIAT_ON_RAMP_CREDENTIAL list_fiat_on_ramp_credentials get_onramp_transaction_status
  `),
  send: words(`
    ETH_REPLACE_TRANSACTION ETH_CANCEL_TRANSACTION get_nonces get_send_estimate get_send_replacement
    list_supported_assets get_wallet_address_balances
    get_gas_usage get_send_transaction_status
  `),
  webhook: words(`
    CREATE_WEBHOOK_ENDPOINT UPDATE_WEBHOOK_ENDPOINT DELETE_WEBHOOK_ENDPOINT list_webhook_endpoints
  `),
  "webhook-delivery": words(`
    REDELIVER_WEBHOOK_DELIVERIES SEND_WEBHOOK_TEST_EVENT list_webhook_deliveries get_webhook_delivery
  `),
}

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/)
}

/** Adds the test that every operation of the sequence was answered. */
export function requireAnswered(t: Test, api: DocumentedApi, sequence: keyof typeof ASKED_BY): void {
  t.test("every operation of the sequence was answered", async (t) => {
    t.strictSame(api.unanswered(ASKED_BY[sequence]), [])
  })
}
