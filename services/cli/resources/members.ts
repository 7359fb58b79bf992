// Generated from proto/ by `npm run generate`: not edited by hand.
import { type RequestMember, readMembers } from "./member.ts"

/** Members of the parameters of each activity type, and of the request of each query, that resource commands send. */
export const MEMBERS: { readonly [operation: string]: readonly RequestMember[] } = readMembers({
  ACTIVITY_TYPE_CREATE_USERS_V4: `
userName text required: Human-readable name
userEmail text: E-mail address
userPhoneNumber text: Phone number, E.164
apiKeys object list required mayBeEmpty: API keys
authenticators object list required mayBeEmpty: Passkeys
oauthProviders object list required mayBeEmpty: OIDC identities
userTags text list required mayBeEmpty refers=tag: Ids of tags`,
  list_users: `
paginationOptions object: Page of the list
search text: Text within the user's name, e-mail address, phone number or id, in upper or lower case
userIds text list refers=user: Only users with these ids
userTagId text refers=tag: Only users with this tag`,
  get_user: `
userId text required refers=user: Id of the user`,
  ACTIVITY_TYPE_UPDATE_USER: `
userId text required refers=user: Id of the user
userName text: Human-readable name
userEmail text: E-mail address
userTagIds text list refers=tag: Ids of all the user's tags
userPhoneNumber text: Phone number, E.164`,
  ACTIVITY_TYPE_DELETE_USERS: `
userIds text list required refers=user: Ids of the users`,
  ACTIVITY_TYPE_CREATE_USER_TAG: `
userTagName text required: Human-readable name, unique among tags of users
userIds text list required mayBeEmpty refers=user: Ids of users to tag`,
  list_user_tags: ``,
  ACTIVITY_TYPE_UPDATE_USER_TAG: `
userTagId text required refers=tag: Id of the tag
newUserTagName text: New name
addUserIds text list required mayBeEmpty refers=user: Ids of users to tag
removeUserIds text list required mayBeEmpty refers=user: Ids of users to untag`,
  ACTIVITY_TYPE_DELETE_USER_TAGS: `
userTagIds text list required refers=tag: Ids of the tags`,
  ACTIVITY_TYPE_CREATE_API_KEYS_V2: `
apiKeys object list required: The keys
userId text required refers=user: Id of the user`,
  get_api_keys: `
userId text refers=user: Id of the user`,
  get_api_key: `
apiKeyId text required refers=key: Id of the API key`,
  ACTIVITY_TYPE_DELETE_API_KEYS: `
userId text required refers=user: Id of the user
apiKeyIds text list required refers=key: Ids of the keys`,
  ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2: `
authenticatorName text required: Human-readable name
challenge text required: Challenge the browser was given, base64url
attestation object required: The browser's answer
userId text required refers=user: Id of the user`,
  get_authenticators: `
userId text required refers=user: Id of the user`,
  get_authenticator: `
authenticatorId text required refers=passkey: Id of the passkey`,
  ACTIVITY_TYPE_DELETE_AUTHENTICATORS: `
userId text required refers=user: Id of the user
authenticatorIds text list required refers=passkey: Ids of the passkeys`,
  ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8: `
subOrganizationName text required: Human-readable name
rootUsers object list required: Root users
rootQuorumThreshold number required: Number of root users needed, at least 1
wallet object: Wallet to create with it
disableEmailRecovery boolean: True if recovery by e-mail stays off
disableEmailAuth boolean: True if login by mailed credential stays off
disableSmsAuth boolean: True if login by SMS code stays off
disableOtpEmailAuth boolean: True if login by e-mail code stays off
verificationToken text: Proof of the contact of the only root user, compact JWS
clientSignature object: Signature by the key the verification token is bound to, over contacts and credentials of the root user`,
  list_suborgs: `
filterType text texts=OIDC_CLAIMS,CREDENTIAL_ID,NAME,USERNAME,EMAIL,PHONE_NUMBER,OIDC_TOKEN,WALLET_ACCOUNT_ADDRESS,PUBLIC_KEY: Kind of filterValue
filterValue text: Value to find
paginationOptions object: Page of the list`,
  get_organization: `
omitUsers boolean: True if the reply has no users: list_users returns them by pages`,
  ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION: `
deleteWithoutExport boolean: True if keys that were never exported may be lost`,
  ACTIVITY_TYPE_CREATE_INVITATIONS: `
receiverUserName text required: Name of the future user
receiverUserEmail text required: Address to invite
receiverUserTags text list required mayBeEmpty refers=tag: Ids of tags the user will get
accessType word required values=ACCESS_TYPE_WEB,ACCESS_TYPE_API,ACCESS_TYPE_ALL: Way in which the user will work
senderUserId text required refers=user: Id of the inviting user`,
  ACTIVITY_TYPE_DELETE_INVITATION: `
invitationId text required refers=invitation: Id of the invitation`,
  get_ip_allowlist: `
publicKey text: API key the list is for, hex`,
  ACTIVITY_TYPE_SET_IP_ALLOWLIST: `
publicKey text: API key the list is for, hex
enabled boolean: True if the list is enforced
rules object list: Allowed blocks, at most 10 of either family
onEvaluationError text texts=ALLOW,DENY: Effect when the list cannot be evaluated: ALLOW or DENY
excludeCaller boolean: True if the list may exclude the address that this request comes from`,
  ACTIVITY_TYPE_REMOVE_IP_ALLOWLIST: `
publicKey text: API key the list is for, hex`,
  ACTIVITY_TYPE_CREATE_WALLET: `
walletName text required: Human-readable name
accounts object list required mayBeEmpty: Accounts to derive
mnemonicLength number: Words of the mnemonic: 12, 15, 18, 21 or 24`,
  list_wallets: ``,
  get_wallet: `
walletId text required refers=wallet: Id of the wallet`,
  ACTIVITY_TYPE_UPDATE_WALLET: `
walletId text required refers=wallet: Id of the wallet
walletName text: New name`,
  ACTIVITY_TYPE_DELETE_WALLETS: `
walletIds text list required refers=wallet: Ids of the wallets
deleteWithoutExport boolean: True if keys that were never exported may be lost`,
  ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS: `
walletId text required refers=wallet: Id of the wallet
accounts object list required: Accounts to derive
persist boolean: False: addresses are returned and no account is stored`,
  list_wallet_accounts: `
walletId text refers=wallet: Id of the wallet
includeWalletDetails boolean: True if each account comes with its wallet
paginationOptions object: Page of the list`,
  ACTIVITY_TYPE_UPDATE_WALLET_ACCOUNT_NAME: `
walletAccountId text required refers=account: Id of the wallet account
name text required: New name`,
  ACTIVITY_TYPE_DELETE_WALLET_ACCOUNTS: `
walletAccountIds text list required refers=account: Ids of the accounts
deleteWithoutExport boolean: True if keys that were never exported may be lost`,
  ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2: `
privateKeyName text required: Human-readable name
curve word required values=CURVE_SECP256K1,CURVE_ED25519,CURVE_P256: Curve of the key
privateKeyTags text list required mayBeEmpty refers=private-key-tag: Ids of tags
addressFormats word list required mayBeEmpty values=ADDRESS_FORMAT_UNCOMPRESSED,ADDRESS_FORMAT_COMPRESSED,ADDRESS_FORMAT_ETHEREUM,ADDRESS_FORMAT_SOLANA,ADDRESS_FORMAT_COSMOS,ADDRESS_FORMAT_TRON,ADDRESS_FORMAT_SUI,ADDRESS_FORMAT_APTOS,ADDRESS_FORMAT_BITCOIN_MAINNET_P2PKH,ADDRESS_FORMAT_BITCOIN_MAINNET_P2SH,ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH,ADDRESS_FORMAT_BITCOIN_MAINNET_P2WSH,ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR,ADDRESS_FORMAT_BITCOIN_TESTNET_P2PKH,ADDRESS_FORMAT_BITCOIN_TESTNET_P2SH,ADDRESS_FORMAT_BITCOIN_TESTNET_P2WPKH,ADDRESS_FORMAT_BITCOIN_TESTNET_P2WSH,ADDRESS_FORMAT_BITCOIN_TESTNET_P2TR,ADDRESS_FORMAT_BITCOIN_SIGNET_P2PKH,ADDRESS_FORMAT_BITCOIN_SIGNET_P2SH,ADDRESS_FORMAT_BITCOIN_SIGNET_P2WPKH,ADDRESS_FORMAT_BITCOIN_SIGNET_P2WSH,ADDRESS_FORMAT_BITCOIN_SIGNET_P2TR,ADDRESS_FORMAT_BITCOIN_REGTEST_P2PKH,ADDRESS_FORMAT_BITCOIN_REGTEST_P2SH,ADDRESS_FORMAT_BITCOIN_REGTEST_P2WPKH,ADDRESS_FORMAT_BITCOIN_REGTEST_P2WSH,ADDRESS_FORMAT_BITCOIN_REGTEST_P2TR,ADDRESS_FORMAT_SEI,ADDRESS_FORMAT_XLM,ADDRESS_FORMAT_DOGE_MAINNET,ADDRESS_FORMAT_DOGE_TESTNET,ADDRESS_FORMAT_TON_V3R2,ADDRESS_FORMAT_TON_V4R2,ADDRESS_FORMAT_XRP,ADDRESS_FORMAT_TON_V5R1,ADDRESS_FORMAT_SPARK_MAINNET,ADDRESS_FORMAT_SPARK_REGTEST: Addresses to create`,
  list_private_keys: ``,
  get_private_key: `
privateKeyId text required refers=private-key: Id of the private key`,
  ACTIVITY_TYPE_DELETE_PRIVATE_KEYS: `
privateKeyIds text list required refers=private-key: Ids of the keys
deleteWithoutExport boolean: True if keys that were never exported may be lost`,
  ACTIVITY_TYPE_CREATE_PRIVATE_KEY_TAG: `
privateKeyTagName text required: Human-readable name, unique among tags of private keys
privateKeyIds text list required mayBeEmpty refers=private-key: Ids of keys to tag`,
  list_private_key_tags: ``,
  ACTIVITY_TYPE_UPDATE_PRIVATE_KEY_TAG: `
privateKeyTagId text required refers=private-key-tag: Id of the tag
newPrivateKeyTagName text: New name
addPrivateKeyIds text list required mayBeEmpty refers=private-key: Ids of keys to tag
removePrivateKeyIds text list required mayBeEmpty refers=private-key: Ids of keys to untag`,
  ACTIVITY_TYPE_DELETE_PRIVATE_KEY_TAGS: `
privateKeyTagIds text list required refers=private-key-tag: Ids of the tags`,
  ACTIVITY_TYPE_CREATE_POLICY_V3: `
policyName text required: Human-readable name, unique among policies
effect word required values=EFFECT_ALLOW,EFFECT_DENY: Effect of the policy when its expressions are true
condition text: Expression over the request
consensus text: Expression over approvers
notes text required: Notes for people
time text: Expression over the time at which it applies`,
  list_policies: ``,
  get_policy: `
policyId text required refers=policy: Id of the policy`,
  ACTIVITY_TYPE_UPDATE_POLICY_V2: `
policyId text required refers=policy: Id of the policy
policyName text: Human-readable name, unique among policies
policyEffect word values=EFFECT_ALLOW,EFFECT_DENY: Effect of the policy when its expressions are true
policyCondition text: Expression over the request
policyConsensus text: Expression over approvers
policyNotes text: Notes for people
time text: Expression over the time at which it applies`,
  ACTIVITY_TYPE_DELETE_POLICIES: `
policyIds text list required refers=policy: Ids of the policies`,
  ACTIVITY_TYPE_CREATE_SMART_CONTRACT_INTERFACE: `
smartContractAddress text required: Contract address or program id
smartContractInterface text required: ABI or IDL, JSON text
type word required values=SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM,SMART_CONTRACT_INTERFACE_TYPE_SOLANA: Language of the interface
label text required: Human-readable name
notes text: Notes for people`,
  list_smart_contract_interfaces: ``,
  get_smart_contract_interface: `
smartContractInterfaceId text required refers=interface: Id of the interface`,
  ACTIVITY_TYPE_DELETE_SMART_CONTRACT_INTERFACE: `
smartContractInterfaceId text required refers=interface: Id of the interface`,
  ACTIVITY_TYPE_CREATE_SESSION_PROFILE: `
sessionProfileName text required: Human-readable name
scope text required: Expression that every request of such a session must satisfy
expirationSeconds text: Longest life of such a session in seconds, decimal
notes text: Notes for people`,
  get_session_profiles: ``,
  get_session_profile: `
sessionProfileId text required refers=session-profile: Id of the session profile`,
  ACTIVITY_TYPE_DELETE_SESSION_PROFILE: `
sessionProfileId text required refers=session-profile: Id of the session profile`,
  ACTIVITY_TYPE_UPDATE_ORGANIZATION_NAME: `
organizationName text required: Human-readable name`,
  ACTIVITY_TYPE_UPDATE_ROOT_QUORUM: `
threshold number required: Number of users needed, at least 1
userIds text list required refers=user: Ids of the users who count`,
  ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE: `
name word required values=FEATURE_NAME_ROOT_USER_EMAIL_RECOVERY,FEATURE_NAME_WEBAUTHN_ORIGINS,FEATURE_NAME_EMAIL_AUTH,FEATURE_NAME_EMAIL_RECOVERY,FEATURE_NAME_WEBHOOK,FEATURE_NAME_SMS_AUTH,FEATURE_NAME_OTP_EMAIL_AUTH,FEATURE_NAME_AUTH_PROXY,FEATURE_NAME_SOLANA_RENT_PREFUND_ENABLED,FEATURE_NAME_SWAP_CONFIG,FEATURE_NAME_EARN_CONFIG,FEATURE_NAME_STRICT_DENY,FEATURE_NAME_SEALED_OTP_ONLY,FEATURE_NAME_OIDC_APPLICATIONS: Name of the feature
value text: Value of the feature`,
  get_organization_configs: ``,
  ACTIVITY_TYPE_REMOVE_ORGANIZATION_FEATURE: `
name word required values=FEATURE_NAME_ROOT_USER_EMAIL_RECOVERY,FEATURE_NAME_WEBAUTHN_ORIGINS,FEATURE_NAME_EMAIL_AUTH,FEATURE_NAME_EMAIL_RECOVERY,FEATURE_NAME_WEBHOOK,FEATURE_NAME_SMS_AUTH,FEATURE_NAME_OTP_EMAIL_AUTH,FEATURE_NAME_AUTH_PROXY,FEATURE_NAME_SOLANA_RENT_PREFUND_ENABLED,FEATURE_NAME_SWAP_CONFIG,FEATURE_NAME_EARN_CONFIG,FEATURE_NAME_STRICT_DENY,FEATURE_NAME_SEALED_OTP_ONLY,FEATURE_NAME_OIDC_APPLICATIONS: Name of the feature`,
  ACTIVITY_TYPE_ENABLE_AUTH_PROXY: ``,
  get_auth_proxy_config: ``,
  ACTIVITY_TYPE_UPDATE_AUTH_PROXY_CONFIG: `
allowedOrigins text list: Origins that may call
allowedAuthMethods text list texts=email,sms,passkey,wallet,google,apple,facebook,x,discord,oidc: Ways to log in that are on
sendFromEmailAddress text: Sender's address
replyToEmailAddress text: Address for replies
emailAuthTemplateId text: Id of the template for mailed credentials
otpTemplateId text: Id of the template for mailed codes
emailCustomizationParams object: Appearance of e-mails
smsCustomizationParams object: Wording of SMS
walletKitSettings object: Settings that login pages receive
otpExpirationSeconds number: Validity of a code, seconds, at least 60
verificationTokenExpirationSeconds number: Validity of a verification token, seconds
sessionExpirationSeconds number: Longest validity of a session that a code or an OIDC identity opens, seconds
otpAlphanumeric boolean: True if codes have letters
otpLength number: Length of codes, 6 to 9
sendFromEmailSenderName text: Sender's name
verificationTokenRequiredForGetAccountPii boolean: True if look-ups by contact need proof of the contact
socialLinkingClientIds text list: Google client ids whose users may be linked by e-mail address
captchaEnabled boolean: True if codes and sign-ups need a captcha
allowMissingOrigin boolean: True if requests without the header Origin, as of native applications, are allowed although origins are listed
resetMembers text list texts=allowedOrigins,allowMissingOrigin,allowedAuthMethods,sendFromEmailAddress,sendFromEmailSenderName,replyToEmailAddress,emailAuthTemplateId,otpTemplateId,emailCustomizationParams,smsCustomizationParams,walletKitSettings,otpExpirationSeconds,verificationTokenExpirationSeconds,sessionExpirationSeconds,otpAlphanumeric,otpLength,verificationTokenRequiredForGetAccountPii,socialLinkingClientIds,captchaEnabled: Members that return to their defaults before the others are set: the way to empty a list or a text`,
  ACTIVITY_TYPE_DISABLE_AUTH_PROXY: ``,
  ACTIVITY_TYPE_CREATE_MFA_POLICY: `
userId text required refers=user: Id of the user
mfaPolicyName text required: Human-readable name
condition text required: Expression that is true of the requests it applies to
requiredAuthenticationMethods object list required: Steps, all of which have to be met, in any order
order number required: Rank among the user's MFA policies
notes text: Notes for people`,
  get_mfa_policies: `
userId text required refers=user: Id of the user`,
  get_mfa_policy: `
userId text required refers=user: Id of the user
mfaPolicyId text required refers=mfa-policy: Id of the MFA policy`,
  ACTIVITY_TYPE_UPDATE_MFA_POLICY: `
userId text required refers=user: Id of the user
mfaPolicyId text required refers=mfa-policy: Id of the MFA policy
mfaPolicyName text: Human-readable name
condition text: Expression that is true of the requests it applies to
requiredAuthenticationMethods object list: Steps, all of which have to be met, in any order
order number: Rank among the user's MFA policies
notes text: Notes for people`,
  ACTIVITY_TYPE_DELETE_MFA_POLICY: `
userId text required refers=user: Id of the user
mfaPolicyId text required refers=mfa-policy: Id of the MFA policy`,
  ACTIVITY_TYPE_CREATE_VELOCITY_CONTROL: `
name text required: Human-readable name
dataSource object required: Source of its data
aggregation object required: Comparison that it makes
identifier text required: Name in conditions of policies, which read controls.IDENTIFIER`,
  list_velocity_controls: `
paginationOptions object: Page of the list`,
  get_velocity_control: `
velocityControlId text required refers=velocity-control: Id of the velocity control`,
  ACTIVITY_TYPE_DELETE_VELOCITY_CONTROL: `
velocityControlId text required refers=velocity-control: Id of the velocity control`,
  ACTIVITY_TYPE_CREATE_OAUTH2_CREDENTIAL: `
provider word required values=OAUTH2_PROVIDER_X,OAUTH2_PROVIDER_DISCORD: The provider
clientId text required: Client id the provider issued
encryptedClientSecret text required: Client secret, sealed to the fetcher, hex: see docs/formats/statement.md`,
  list_oauth2_credentials: ``,
  get_oauth2_credential: `
oauth2CredentialId text required refers=oauth2-credential: Id of the OAuth 2.0 credential`,
  ACTIVITY_TYPE_UPDATE_OAUTH2_CREDENTIAL: `
oauth2CredentialId text required refers=oauth2-credential: Id of the OAuth 2.0 credential
provider word required values=OAUTH2_PROVIDER_X,OAUTH2_PROVIDER_DISCORD: The provider
clientId text required: Client id the provider issued
encryptedClientSecret text required: Client secret, sealed to the fetcher, hex: see docs/formats/statement.md`,
  ACTIVITY_TYPE_DELETE_OAUTH2_CREDENTIAL: `
oauth2CredentialId text required refers=oauth2-credential: Id of the OAuth 2.0 credential`,
  ACTIVITY_TYPE_CREATE_FIAT_ON_RAMP_CREDENTIAL: `
onrampProvider word required values=FIAT_ON_RAMP_PROVIDER_COINBASE,FIAT_ON_RAMP_PROVIDER_MOONPAY: The provider
projectId text: Project id at the provider
publishableApiKey text required: Publishable API key of the provider
encryptedSecretApiKey text required: Secret API key, sealed to the on-ramp key, base58check: see docs/formats/statement.md
encryptedPrivateApiKey text: Private API key, sealed in the same form
sandboxMode boolean: True for keys of the provider's test system`,
  list_fiat_on_ramp_credentials: ``,
  ACTIVITY_TYPE_UPDATE_FIAT_ON_RAMP_CREDENTIAL: `
fiatOnrampCredentialId text required refers=on-ramp-credential: Id of the credential
onrampProvider word required values=FIAT_ON_RAMP_PROVIDER_COINBASE,FIAT_ON_RAMP_PROVIDER_MOONPAY: The provider
projectId text: Project id at the provider
publishableApiKey text required: Publishable API key of the provider
encryptedSecretApiKey text required: Secret API key, sealed to the on-ramp key, base58check: see docs/formats/statement.md
encryptedPrivateApiKey text: Private API key, sealed in the same form`,
  ACTIVITY_TYPE_DELETE_FIAT_ON_RAMP_CREDENTIAL: `
fiatOnrampCredentialId text required refers=on-ramp-credential: Id of the credential`,
  ACTIVITY_TYPE_CREATE_EMAIL_TEMPLATE: `
templateName text required: Name for people
templateType word required values=EMAIL_TEMPLATE_TYPE_OTP: E-mails that the template is for
html text required: HTML body, with actions of Go's text/template
text text: Plain text body, with the same actions
subject text: Subject, with the same actions`,
  list_email_templates: ``,
  ACTIVITY_TYPE_DELETE_EMAIL_TEMPLATE: `
templateId text required refers=email-template: Id of the template`,
})
