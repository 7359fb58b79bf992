// Generated from proto/countersign/signer/v1/refusal.proto by `npm run generate`: not edited by hand.

/** Meaning and advice, by code. */
export const REFUSAL_TEXTS: {
  readonly [code: string]: { readonly meaning: string; readonly remedy: string }
} = {
  STAMP_MISSING: {
    meaning: "The request has none of X-Stamp, X-Stamp-WebAuthn and X-Stamp-Attested.",
    remedy: "stamp the body and send the header.",
  },
  STAMP_MALFORMED: {
    meaning:
      "The stamp cannot be read (encoding, members, length of key or signature), or there is more than one.",
    remedy: "build it as docs/formats/stamp.md says; the sentence names the part.",
  },
  STAMP_SCHEME_UNKNOWN: {
    meaning: "The stamp names an unknown scheme, or an attested one that this release does not serve.",
    remedy: "use one of the four schemes of X-Stamp, or a passkey.",
  },
  STAMP_INVALID: {
    meaning: "The signature does not verify over these exact bytes.",
    remedy: "send the very bytes that were stamped; proxies and JSON libraries may rewrite them.",
  },
  CREDENTIAL_UNKNOWN: {
    meaning: "No user of the organization holds the key, or its session was ended.",
    remedy: "check organization and key, or log in again; after `dev --reset` load `.env.local` again.",
  },
  CREDENTIAL_EXPIRED: {
    meaning: "The key or its session has expired.",
    remedy: "stamp with another key, log in again, or have a new key added.",
  },
  READ_ONLY_SESSION_INVALID: {
    meaning: "The header X-Session has no read-only session of this deployment.",
    remedy: "send the text of create_read_only_session as it came, once, or stamp the query.",
  },
  READ_ONLY_SESSION_EXPIRED: {
    meaning: "The read-only session has expired.",
    remedy: "open another one with create_read_only_session.",
  },
  READ_ONLY_SESSION_ENDED: {
    meaning: "The read-only session ended: its user no longer has the credential that opened it.",
    remedy: "open another one, stamped with a credential that the user has.",
  },
  READ_ONLY_SESSION_ELSEWHERE: {
    meaning: "The query names another organization than that of the read-only session.",
    remedy: "name the session's own organization, or stamp the query.",
  },
  READ_ONLY_SESSION_SUBMITS: {
    meaning: "An activity came with a read-only session and no stamp.",
    remedy: "stamp the activity; X-Session is for queries.",
  },
  STAMP_SCHEME_MISMATCH: {
    meaning: "The stamp's scheme belongs to another curve than the stored credential.",
    remedy: "stamp with the scheme of the key.",
  },
  STAMP_CEREMONY_WRONG: {
    meaning: "The passkey signed for another purpose or relying party, or no user was present.",
    remedy: "stamp with `navigator.credentials.get()` and the relying party id of the registration.",
  },
  STAMP_ORIGIN_WRONG: {
    meaning: "The passkey was used on a page of an origin that the organization does not allow.",
    remedy:
      "use an allowed page, or add its origin to `FEATURE_NAME_WEBAUTHN_ORIGINS` of the top-level organization.",
  },
  PASSKEY_UNKNOWN: {
    meaning: "No user of the organization holds the passkey.",
    remedy: "check the organization; offer only passkeys that are registered in it.",
  },
  ATTESTED_STAMP_NOT_ALLOWED: {
    meaning:
      "An attested stamp is for logins and votes: its token may live for long, and its user confirms nothing.",
    remedy: "log in with `stamp_login`, and stamp other requests with the session's key.",
  },
  STAMP_KEY_UNATTESTED: {
    meaning: "The token in an attested stamp was issued for another key than the one that stamped.",
    remedy: "make a key, ask the issuer for a token with its nonce, and stamp with that key.",
  },
  IDENTITY_UNKNOWN: {
    meaning:
      "No user of the organization has the OIDC identity that the attested stamp names, or not exactly one has the contact.",
    remedy:
      "check the organization and the application's client id; sign up, or add the identity or contact to its user.",
  },
  REQUEST_MALFORMED: {
    meaning: "The body is not strict JSON: syntax, UTF-8, a repeated member, depth.",
    remedy: "correct the body; the sentence says what is wrong and where.",
  },
  REQUEST_INVALID: {
    meaning:
      "A member is missing, unknown, has the wrong type, breaks its rule, or is a string that holds U+0000.",
    remedy: "correct the member that the field names.",
  },
  REQUEST_STALE: {
    meaning: "`timestampMs` is an hour old or older.",
    remedy: "stamp a new request; check the clock.",
  },
  CREDENTIAL_NEWER_THAN_REQUEST: {
    meaning:
      "`timestampMs` is more than five minutes before the credential was registered. In a login that names only the parent, any time before is refused, unless the login follows its own sign-up.",
    remedy: "stamp a new request; check the caller's clock.",
  },
  REQUEST_FROM_FUTURE: {
    meaning: "`timestampMs` is more than five minutes ahead.",
    remedy: "check both clocks: the caller's, and that of a signer whose host was suspended.",
  },
  ACTIVITY_TYPE_UNKNOWN: {
    meaning:
      "`type` is not an activity type, or is an obsolete one. A type of another path is `REQUEST_INVALID`.",
    remedy: "check the spelling; the sentence says what the path takes.",
  },
  ACTIVITY_TYPE_NOT_SERVED: {
    meaning: "The activity type is declared and not part of this release.",
    remedy: "use a version that is served.",
  },
  REQUEST_TOO_LARGE: {
    meaning:
      "The body, its context, or the number of orders sent at one time exceeds its bound; the API answers 413.",
    remedy: "send less.",
  },
  ORGANIZATION_UNKNOWN: { meaning: "The ledger has no organization with this id.", remedy: "check the id." },
  ORGANIZATION_DELETED: {
    meaning: "The organization was deleted.",
    remedy: "nothing: its keys no longer exist.",
  },
  ORGANIZATION_NOT_DELETED: {
    meaning: "The operator asked to erase an organization that its users have not deleted.",
    remedy: "operator: erase only what a stamped delete_sub_organization has deleted.",
  },
  OUTCOME_UNACKNOWLEDGED: {
    meaning: "The ledger keeps an outcome of the organization that the API tier has not stored yet.",
    remedy: "operator: let the API run until it has stored the outcome, then erase the organization.",
  },
  ORGANIZATION_MISMATCH: {
    meaning: "The key belongs to a user of the parent, who may read its sub-organizations and never write.",
    remedy: "use a user of the sub-organization itself.",
  },
  ACTIVITY_CALLER_INVALID: {
    meaning: "Only top-level organizations, or only sub-organizations, can do this.",
    remedy: "name another organization.",
  },
  CREDENTIAL_CONFLICT: {
    meaning:
      "Several sub-organizations hold the credential, or the parent too, and the body names only the parent.",
    remedy: "name the sub-organization.",
  },
  LOGIN_UNPROVEN: {
    meaning:
      "The body names only the parent. A sub-organization holds the credential, but got it after its creation, and no login that named the sub-organization has proven it.",
    remedy: "name the sub-organization.",
  },
  PARENT_LOGIN_NOT_ALLOWED: {
    meaning:
      "A user of the parent asked for a login in a sub-organization, and the parent's policies do not allow it at once. Such a request collects no votes, completes no MFA and is counted by no velocity control.",
    remedy: "give the user of the parent a policy that allows this type by their approval alone.",
  },
  DOCUMENT_FORGED: {
    meaning: "The stored document does not carry this deployment's signature.",
    remedy: "operator: the database was altered, or belongs to another root seed.",
  },
  DOCUMENT_ROLLED_BACK: {
    meaning:
      "The stored document is authentic and older than the ledger's version, or of a history that an operator gave up.",
    remedy:
      "send the same body again: the API restores the document from the signer; if it stays, read the API's log.",
  },
  DOCUMENT_OF_ANOTHER_ORGANIZATION: {
    meaning: "The stored document belongs to another organization.",
    remedy: "operator: the database was altered.",
  },
  RECORD_FORGED: {
    meaning: "The authentication code of a stored record does not match its bytes.",
    remedy: "operator: the database was altered.",
  },
  RECORD_OF_ANOTHER_ORGANIZATION: {
    meaning: "A stored record is authentic and belongs to another organization.",
    remedy: "operator: the database was altered.",
  },
  RECORD_ROLLED_BACK: {
    meaning:
      "A stored record is authentic and older than the ledger's version, or of a history that an operator gave up.",
    remedy: "as for `DOCUMENT_ROLLED_BACK`.",
  },
  RECORD_DELETED: { meaning: "The resource was deleted.", remedy: "use another." },
  RECORD_UNEXPECTED: {
    meaning: "A stored record is not the one that was requested: kind, id or wallet.",
    remedy: "operator: the database was altered.",
  },
  CONTEXT_MISSING: {
    meaning: "The signer requested context for the activity and it was not supplied.",
    remedy: "send the same body again; if it stays, the database has lost rows.",
  },
  ACTIVITY_REPLAYED: {
    meaning: "This body was already carried out.",
    remedy: "nothing; call get_activity. For a second run change `timestampMs` and stamp again.",
  },
  ACTIVITY_UNKNOWN: {
    meaning: "No activity with this fingerprint waits for votes or was decided in the last hour.",
    remedy: "check the fingerprint and the organization; get_activity returns the activity's status.",
  },
  ACTIVITY_FINAL: {
    meaning: "The activity is completed, failed or rejected: votes no longer count.",
    remedy: "nothing.",
  },
  ACTIVITY_EXPIRED: {
    meaning:
      "The activity waited for votes for longer than the operator allows (`COUNTERSIGN_SIGNER_MAX_PENDING_HOURS`) and failed.",
    remedy: "submit the activity again.",
  },
  VOTE_REPEATED: {
    meaning: "This user has already voted, and the votes do not suffice.",
    remedy: "wait for the others.",
  },
  VOTE_NOT_COUNTED: {
    meaning:
      "The user's vote does not count: the user is not in the root quorum and contributes to no waiting ALLOW policy.",
    remedy: "have a member of the root quorum vote.",
  },
  AUTHENTICATION_AWAITED: {
    meaning: "The submitter has not yet met their MFA policy. Other users approve after that.",
    remedy: "have the submitter approve by the methods that get_mfa_status names, or reject the activity.",
  },
  SUBMITTER_GONE: {
    meaning: "The user who submitted the activity was deleted, so that nobody else can approve it.",
    remedy: "submit it again as another user; reject this one.",
  },
  LOGIN_LAPSED: {
    meaning:
      "A login waited for votes until the stamp that asked for it no longer counted: it lapsed, or its key is gone.",
    remedy: "log in again.",
  },
  OUTCOME_TOO_LARGE: {
    meaning: "The activity's outcome and its body exceed one message together.",
    remedy: "ask for less at once.",
  },
  MFA_POLICY_UNSATISFIABLE: {
    meaning: "An MFA policy demands more than its user has: no set of their credentials meets its steps.",
    remedy: "register the credentials first, or demand what the user has.",
  },
  LOGIN_ORGANIZATION_NEEDED: {
    meaning: "The user's MFA policy makes the login wait, and its body names the parent organization.",
    remedy: "name the sub-organization in `organizationId`.",
  },
  PERMISSION_DENIED: {
    meaning:
      "Neither root quorum, policy nor default right allows the activity, or a DENY policy applies. The detail `PolicyEnginePermissionError` has each policy's outcome, and `DenialAdvice` names those that denied.",
    remedy:
      "add a policy that allows it, name the submitter in its consensus (docs/policies.md), or have a root user do it.",
  },
  VELOCITY_CONTROL_EXCEEDED: {
    meaning:
      "Policies deny the activity because it would exceed a velocity control. The detail `VelocityControlsExceeded` names each exceeded control, by how much, and when the same request fits again.",
    remedy: "wait until then, move less, or have a root user do it.",
  },
  VELOCITY_CONTROL_AMOUNT_UNKNOWN: {
    meaning:
      "A velocity control refuses what moves a listed asset by an amount that the signed bytes do not show.",
    remedy:
      "use a function that states its amount, or replace the control by one whose threshold such calls exceed.",
  },
  POLICY_UNDECIDED: {
    meaning:
      "A policy that may allow the request, or count the vote, takes more steps than it has. The sentence names the policy.",
    remedy: "simplify its expressions (docs/policies.md), or have a root user do it.",
  },
  SESSION_SCOPE_DENIED: {
    meaning: "The profile of the session that stamped does not allow this request.",
    remedy: "stamp with another credential, or log in with another profile.",
  },
  AUTH_PROXY_USER_DENIED: {
    meaning: "The auth proxy's user may not do this, whatever policies say.",
    remedy: "stamp with a credential of another user.",
  },
  SESSION_SCOPE_UNDECIDED: {
    meaning: "The scope of the session's profile reads a fact that this request does not have.",
    remedy: "as for `SESSION_SCOPE_DENIED`; a scope may read only what all requests of the session have.",
  },
  SETUP_CODE_INVALID: {
    meaning:
      "The setup code cannot be read, was not issued by this deployment, or is for another organization id.",
    remedy: "use the id in the code, or ask the operator for a new one.",
  },
  SETUP_CODE_SPENT: {
    meaning: "The setup code has created its organization.",
    remedy: "ask the operator for a new one.",
  },
  SETUP_CODE_EXPIRED: { meaning: "The setup code has expired.", remedy: "ask the operator for a new one." },
  SETUP_CODE_OF_ANOTHER_KEY: {
    meaning: "The stamp was not made with the key that the setup code names.",
    remedy: "stamp with that key.",
  },
  RESOURCE_UNKNOWN: {
    meaning: "A user, wallet, key, tag or credential that the request names does not exist.",
    remedy: "correct the id that the field names.",
  },
  NAME_TAKEN: {
    meaning: "The name is taken; names are unique per kind of resource.",
    remedy: "choose another.",
  },
  LIMIT_EXCEEDED: {
    meaning:
      "The organization or the user has as many as allowed, or the request exceeds one of its bounds; the sentence names the bound.",
    remedy:
      "delete one first, or request fewer at once; an operator sets the numbers of users, policies, tags, session profiles and credentials (OPERATIONS). Delete accounts before their wallet, and wallets before their organization.",
  },
  DOCUMENT_TOO_LARGE: {
    meaning:
      "Users, credentials, tags, policies and settings of the organization together exceed 2 MiB as its document stores them.",
    remedy: "delete some of them first.",
  },
  CREDENTIAL_TAKEN: {
    meaning: "Another credential or session of the organization has this key or passkey.",
    remedy: "make a new one.",
  },
  LAST_CREDENTIAL: {
    meaning: "A user would be left without a lasting credential.",
    remedy: "add another first.",
  },
  PUBLIC_KEY_INVALID: {
    meaning: "The public key is not a point of its curve, or not compressed.",
    remedy: "send the compressed form in hex.",
  },
  QUORUM_INVALID: {
    meaning:
      "The threshold is zero or above the members, or a member is unknown, repeated or without a lasting credential.",
    remedy: "the sentence says which.",
  },
  QUORUM_MEMBER: {
    meaning: "The user to be deleted is a member of the root quorum.",
    remedy: "remove the user with update_root_quorum first.",
  },
  AUTH_PROXY_NOT_PAIRED: {
    meaning: "The signer does not know the auth proxy's key.",
    remedy: "operator: pair them, see docs/OPERATIONS.md.",
  },
  AUTH_PROXY_DISABLED: {
    meaning: "The auth proxy of the organization is disabled.",
    remedy: "enable it with `enable_auth_proxy`.",
  },
  EMAIL_TEMPLATE_IN_USE: {
    meaning: "The settings of the auth proxy name the template.",
    remedy:
      "name another template with `update_auth_proxy_config`, or reset the member; then delete this one.",
  },
  INVITATION_CONTACT_TAKEN: {
    meaning: "A user, or an open invitation, has the address already: a login with it would reach that user.",
    remedy: "use another address, or `delete_invitation` first.",
  },
  INVITATION_SETTLED: {
    meaning: "The invitation was accepted or withdrawn before.",
    remedy: "nothing; `delete_users` deletes a user who accepted.",
  },
  ACCESS_TYPE_EXCLUDES: {
    meaning: "The user was invited with an access type that excludes this kind of credential.",
    remedy: "add one of the other kind, or create a user without this limit.",
  },
  AUTH_PROXY_SETTING_DIFFERS: {
    meaning: "The auth proxy asks for something else than the organization's settings of the auth proxy say.",
    remedy: "leave the member out, or repeat the setting.",
  },
  AUTH_PROXY_SETTING_INVALID: {
    meaning: "A setting of the auth proxy has an invalid value.",
    remedy: "write it as the sentence says.",
  },
  AUTH_PROXY_IN_USE: {
    meaning: "The user or key to be deleted is the auth proxy's.",
    remedy: "disable the proxy with `disable_auth_proxy`, which deletes both.",
  },
  AUTH_PROXY_CONFIG_UNKNOWN: {
    meaning: "No auth proxy was ever enabled in the organization.",
    remedy: "enable it with `enable_auth_proxy`, or correct the id.",
  },
  ATTESTATION_MALFORMED: {
    meaning:
      "Client data, attestation object or credential id cannot be read: base64url, JSON, CBOR, layout.",
    remedy: "send base64url of the browser's answer; the sentence names the part.",
  },
  ATTESTATION_CEREMONY_WRONG: {
    meaning: "The client data is not of a registration, or no user was present.",
    remedy: "send the answer of `navigator.credentials.create()`.",
  },
  ATTESTATION_CHALLENGE_WRONG: {
    meaning: "The client data holds another challenge than the request.",
    remedy: "send the challenge that the browser was given.",
  },
  ATTESTATION_ORIGIN_WRONG: {
    meaning: "The passkey was made on a page of an origin that the organization does not allow.",
    remedy: "add the origin to `FEATURE_NAME_WEBAUTHN_ORIGINS`, or use an allowed page.",
  },
  ATTESTATION_CREDENTIAL_WRONG: {
    meaning: "The attestation is about another credential than `credentialId`, or about none.",
    remedy: "send both from the same answer of the browser.",
  },
  ATTESTATION_KEY_INVALID: {
    meaning: "The passkey's public key is neither ES256, EdDSA nor RS256, or malformed.",
    remedy: "ask the browser for the algorithms -7 and -257.",
  },
  ATTESTATION_SIGNATURE_INVALID: {
    meaning: "The signature of a packed attestation does not verify.",
    remedy: "ask for attestation `none`, or another authenticator.",
  },
  FEATURE_VALUE_INVALID: {
    meaning: "The feature does not take this value.",
    remedy: "the sentence says which values it takes.",
  },
  FEATURE_NOT_SERVED: {
    meaning: "No part of this release reads the feature; the sentence says what to use meanwhile.",
    remedy: "leave the feature unset.",
  },
  SESSION_PROFILE_NAME_RESERVED: {
    meaning:
      "The name of a session profile begins with `SESSION_TYPE_`, as the kinds of sessions in their tokens do.",
    remedy: "choose another name.",
  },
  SESSION_PROFILES_TOO_LARGE: {
    meaning: "Names, scopes and notes of all session profiles together exceed 128 KiB.",
    remedy: "write shorter ones; none can be deleted.",
  },
  IP_BLOCK_INVALID: {
    meaning:
      "A rule of an IP allowlist is not a block in CIDR notation, or is wider than /20 (IPv4) or /48 (IPv6).",
    remedy: "write it as 192.0.2.0/24, a single address as 192.0.2.1/32.",
  },
  EXPRESSION_INVALID: {
    meaning: "An expression cannot be read, mixes types, or is not a truth value.",
    remedy: "the sentence says why; `ExpressionFault` among `details` says where.",
  },
  EXPRESSION_FIELD_UNKNOWN: {
    meaning: "An expression names a field that does not exist, or that this expression may not use.",
    remedy: "take the suggestion in `details`, or a name of the policy language.",
  },
  EXPRESSION_TOO_LARGE: {
    meaning: "An expression exceeds a bound of the policy language: depth or number of parts.",
    remedy: "split the policy; use lists with `in`.",
  },
  SIMULATION_TOO_COSTLY: {
    meaning: "A simulation of policies takes more steps than one may; the API tier answers it.",
    remedy: "simulate fewer approvers, payloads or policies at once.",
  },
  POLICIES_TOO_LARGE: {
    meaning: "Names, notes and expressions of all policies together exceed 256 KiB.",
    remedy: "delete or shorten some.",
  },
  VELOCITY_CONTROL_INVALID: {
    meaning:
      "A velocity control lacks its source, window or division, or has an invalid part. Invalid are an asset that cannot be counted, an unknown activity type, a threshold that is no decimal number of 38 digits, a sum of activities, or an identifier that no condition can read.",
    remedy: "correct the member that the field names.",
  },
  VELOCITY_CONTROL_PHASE_NOT_SERVED: {
    meaning: "A velocity control is to count transfers when they are on their chain. This phase is reserved.",
    remedy: "set `signature`, or leave the phase out: transfers count when they are signed.",
  },
  VELOCITY_CONTROL_IN_USE: {
    meaning: "A policy reads the velocity control that is to be deleted.",
    remedy: "change or delete the policies that the sentence names, then delete the control.",
  },
  WEBHOOK_URL_INVALID: {
    meaning:
      "The URL of a webhook endpoint is not https, has a user or a fragment, or leads inside a network.",
    remedy: "name an https URL with a public host.",
  },
  WEBHOOK_EVENT_NOT_SERVED: {
    meaning: "A webhook endpoint subscribes to balances of a chain that this service does not follow.",
    remedy: "name addresses of eip155 or solana; follow others by a node of your own.",
  },
  WEBHOOK_EVENT_OF_PARENT: {
    meaning: "A sub-organization's endpoint subscribes to events that go to top-level organizations.",
    remedy: "subscribe in the parent, whose endpoints get the events of its sub-organizations.",
  },
  WEBHOOK_EVENT_REPEATED: {
    meaning: "A webhook endpoint subscribes to one kind of event twice.",
    remedy: "list each kind of event once.",
  },
  WEBHOOK_FILTER_NOT_SERVED: {
    meaning: "A subscription of a webhook endpoint to activities or sends has a filter.",
    remedy: "leave filtersJson out, and select events in the receiver.",
  },
  WEBHOOK_FILTER_INVALID: {
    meaning: "A subscription to balances does not name the addresses to follow, or names something else.",
    remedy:
      'write filtersJson as {"addresses":["eip155:1:0x…"]}, with CAIP-10 account ids, 1 to 50, each once.',
  },
  WEBHOOK_STATEMENT_INVALID: {
    meaning: "A statement to be signed for a webhook is not of its form.",
    remedy: "API tier: the sentence names the fault.",
  },
  WEBHOOK_TIME_INVALID: {
    meaning: "A statement to be signed for a webhook is not of this moment, by the signer's time.",
    remedy: "operator: correct the clock of the API's host, or the signer's.",
  },
  INTERFACE_INVALID: {
    meaning: "The text is neither an ABI of Ethereum nor an IDL of Anchor.",
    remedy: "the sentence names the place and the fault.",
  },
  INTERFACE_TAKEN: {
    meaning: "The organization has an interface of this type for this address.",
    remedy: "delete it first.",
  },
  CONTRACT_ADDRESS_INVALID: {
    meaning: "The contract's address is not an address of its chain, or its checksum is wrong.",
    remedy: "correct it.",
  },
  PATH_INVALID: { meaning: "The derivation path cannot be read.", remedy: "write it as m/44'/60'/0'/0/0." },
  ADDRESS_FORMAT_INVALID: {
    meaning: "The address format does not match the curve, is not served, or is named twice for one key.",
    remedy: "choose one from the table in docs/formats/addresses.md.",
  },
  ACCOUNT_TAKEN: {
    meaning: "The organization has an account or private key with this address.",
    remedy: "use it, or another path.",
  },
  MNEMONIC_LENGTH_INVALID: {
    meaning: "The number of words is not 12, 15, 18, 21 or 24.",
    remedy: "choose one of them.",
  },
  SIGN_WITH_UNKNOWN: {
    meaning: "No key of the organization has this address or id.",
    remedy: "check both, and the organization.",
  },
  PAYLOAD_INVALID: { meaning: "The payload does not match its encoding.", remedy: "the sentence says why." },
  HASH_FUNCTION_INVALID: {
    meaning: "The hash function does not match the curve or the encoding.",
    remedy: "Ed25519 takes NOT_APPLICABLE, typed data NO_OP, all others NO_OP, SHA256 or KECCAK256.",
  },
  DIGEST_LENGTH_INVALID: {
    meaning: "NO_OP signs a digest of 32 bytes, and the payload has another length.",
    remedy: "hash first, or name the hash function.",
  },
  TRANSACTION_INVALID: {
    meaning:
      "An unsigned transaction is not in the canonical encoding of its chain, is signed already, or would be taken by no node.",
    remedy: "correct what the sentence names; the offset counts bytes.",
  },
  TRANSACTION_TYPE_UNSUPPORTED: {
    meaning: "Transactions of this type are not signed.",
    remedy: "sign the chain's message by `sign_raw_payload`.",
  },
  TRANSACTION_KEY_UNFIT: {
    meaning:
      "The key of `signWith` is on another curve than the signatures of the transaction's chain, or signs by another algorithm.",
    remedy: "name an account or a private key on the curve of the sentence, and no Taproot address.",
  },
  TRANSACTION_SIGNER_MISSING: {
    meaning: "The transaction takes no signature of the key of `signWith`.",
    remedy: "name one of the transaction's signers in `signWith`.",
  },
  SEND_ADDRESS_INVALID: {
    meaning:
      "The sender or a recipient of a send is no address of its chain, such as the id of a private key.",
    remedy:
      "name the address of an account or private key; recipients of EVM chains have 0x and 40 hex digits.",
  },
  SEND_INVALID: {
    meaning: "A value of a send cannot be right: call data that are no hexadecimal, or a tip above the fee.",
    remedy: "correct what the sentence names.",
  },
  SEND_VALUE_UNUSED: {
    meaning:
      "A value that would have no effect: `gasStationNonce` or `deadline` of a send that is neither sponsored nor a batch, or a setting of Solana's sponsorship.",
    remedy: "leave it out, or set `sponsor`.",
  },
  SEND_FEE_OVER_CAP: {
    meaning: "The fee of a send is above the operator's cap for its chain, for each unit of gas or in total.",
    remedy:
      "name lower fees, or wait until the chain is cheaper; an operator sets `COUNTERSIGN_SIGNER_FEE_CAPS`.",
  },
  SEND_CALLS_EXCEEDED: {
    meaning: "A batch has more calls than the delegate contract runs at once.",
    remedy: "send the calls in parts of at most 20.",
  },
  SEND_DEADLINE_INVALID: {
    meaning: "The deadline of a sponsored send or batch has passed, or is later than the operator allows.",
    remedy:
      "name an earlier time to come, or none; an operator sets `COUNTERSIGN_SIGNER_MAX_DEADLINE_SECONDS`.",
  },
  SEND_CHAIN_MISMATCH: {
    meaning: "A signed transaction is for another chain than `caip2` names.",
    remedy: "name the chain that it was signed for.",
  },
  GAS_STATION_UNCONFIGURED: {
    meaning:
      "A sponsored send or a batch of calls on a chain for which the operator has pinned no gas station.",
    remedy: "send one call that its sender pays; an operator sets `COUNTERSIGN_SIGNER_GAS_STATIONS`.",
  },
  SPONSORSHIP_DISABLED: {
    meaning:
      "A sponsored send whose top-level organization has set no limits of sponsorship, or has disabled it.",
    remedy: "set them with `upsert_gas_usage_config`, or send without `sponsor`.",
  },
  SPONSORSHIP_UNPRICED: {
    meaning: "A sponsored send on a chain for whose native token the operator has set no price.",
    remedy: "send without `sponsor`; an operator sets `COUNTERSIGN_SIGNER_NATIVE_PRICES_USD`.",
  },
  SPONSORSHIP_LIMIT_EXCEEDED: {
    meaning: "A sponsored send would exceed the limit of its window, at the greatest cost that it can have.",
    remedy: "send at the time that the sentence names, with lower gas, or without `sponsor`.",
  },
  SPONSORSHIP_CAP_EXCEEDED: {
    meaning:
      "A sponsored send would exceed what the operator lets the organization spend in 24 hours, at the greatest cost that it can have. The sentence names the organization and the figures.",
    remedy:
      "send at the time that the sentence names, with lower gas, or without `sponsor`; an operator sets `COUNTERSIGN_SIGNER_SPONSORED_USD_A_DAY`.",
  },
  SEND_SIGNATURE_MISSING: {
    meaning: "A Solana transaction to be sent lacks the signature of a key that no signer of the send is.",
    remedy: "name the key in `signWith` or `signWiths`, or let it sign first.",
  },
  SEND_BLOCKHASH_SIGNED: {
    meaning: "`recentBlockhash` would change a Solana transaction that has signatures already.",
    remedy: "leave it out, or send the transaction without signatures.",
  },
  SEND_REPLACED_MISMATCH: {
    meaning:
      "The transaction that a replacement or cancellation names was signed by another account, or has another nonce than the body.",
    remedy:
      "name the waiting transaction with its own account and nonce; `get_send_replacement` returns them.",
  },
  SEND_NOT_REPLACEABLE: {
    meaning:
      "A batch of calls, a change of delegation or the creation of a contract is to be signed again with other fees.",
    remedy: "cancel it with `eth_cancel_transaction` and send a new transaction.",
  },
  SEND_FEE_TOO_LOW: {
    meaning:
      "Fee or tip of a replacement or cancellation is less than 10 % above the waiting transaction's: nodes refuse it.",
    remedy: "name the fees that the sentence says, or higher ones.",
  },
  BITCOIN_NETWORK_UNKNOWN: {
    meaning:
      "Policies read a Bitcoin transaction whose network is not known: `signWith` is no Bitcoin address, or one of two networks.",
    remedy: "name a SegWit address of the key on the network in `signWith`.",
  },
  PRIVATE_KEY_NOT_EXPORTED: {
    meaning: "A private key to be deleted was never exported.",
    remedy: "export it, or set `deleteWithoutExport`.",
  },
  WALLET_ACCOUNT_NOT_EXPORTED: {
    meaning: "Neither the account to be deleted nor its wallet was ever exported.",
    remedy: "export one of them, or set `deleteWithoutExport`.",
  },
  WALLET_NOT_EXPORTED: {
    meaning:
      "The mnemonic of a wallet to be deleted was never exported; exports of its accounts do not count.",
    remedy: "export the wallet, or set `deleteWithoutExport`.",
  },
  KEYS_NOT_EXPORTED: {
    meaning: "The sub-organization to be deleted holds keys that were never exported.",
    remedy: "export them, or set `deleteWithoutExport`.",
  },
  SEAL_BROKEN: {
    meaning: "A sealed secret does not open. One code for all faults of decryption: key, binding or bytes.",
    remedy: "operator: wrong root seed for this data, or altered data.",
  },
  IMPORT_TARGET_UNKNOWN: {
    meaning: "This user requested no import key of this kind within the last two hours.",
    remedy: "call init_import_wallet, init_import_private_key or init_import_secrets first.",
  },
  IMPORT_TARGET_SPENT: {
    meaning: "The import key was used by an import.",
    remedy: "request another one and seal again.",
  },
  IMPORT_TARGET_EXPIRED: {
    meaning: "The import key is older than one hour, which includes the time an activity waits for votes.",
    remedy: "request another one and seal again.",
  },
  BUNDLE_MALFORMED: {
    meaning:
      "`encryptedBundle` is not JSON text with `encappedPublic` and `ciphertext` in hexadecimal digits.",
    remedy: "send the result of the client's sealing function.",
  },
  BUNDLE_BROKEN: {
    meaning:
      "The bundle does not open with the user's current import key of this kind. One code for all faults of decryption.",
    remedy: "seal to the latest import bundle, of the same user, organization and kind.",
  },
  SECRET_SIZE_INVALID: {
    meaning: "The plaintext of a secret is empty, or exceeds the operator's bound.",
    remedy: "import a secret of 1 to that many bytes; an operator sets the bound (OPERATIONS).",
  },
  PROPERTY_NAMED_TWICE: {
    meaning: "A property of a secret, or a statement about its export, is named twice.",
    remedy: "name each key once.",
  },
  SECRETS_NOT_DELETED: {
    meaning: "The sub-organization to be deleted has secrets.",
    remedy: "export and delete them, or set `deleteWithoutExport`.",
  },
  MNEMONIC_WORD_UNKNOWN: {
    meaning: "A word of the mnemonic is not in the English list.",
    remedy: "the sentence says which word; write it as the list does.",
  },
  MNEMONIC_CHECKSUM_WRONG: {
    meaning: "The mnemonic's checksum does not match its words.",
    remedy: "look for a wrong word or a wrong order.",
  },
  MNEMONIC_LANGUAGE_NOT_SERVED: {
    meaning: "An export requests words of a list other than the English one.",
    remedy: "leave `language` out: other words would restore another wallet.",
  },
  PASSPHRASE_INVALID: {
    meaning:
      "The passphrase is not UTF-8, begins with a line `--PASS--`, or forms a mnemonic with the words before it.",
    remedy:
      "write the words on one line, without blank lines; else move the funds to a wallet with another passphrase.",
  },
  PRIVATE_KEY_INVALID: {
    meaning: "The imported key is not 32 bytes, or out of the curve's range.",
    remedy: "seal the raw key; check the curve.",
  },
  TARGET_KEY_INVALID: {
    meaning: "`targetPublicKey` is not an uncompressed point of P-256.",
    remedy: "send `04`, x and y in 130 hexadecimal digits.",
  },
  FETCHER_NOT_PAIRED: {
    meaning: "Signer and fetcher do not know each other's keys.",
    remedy: "operator: pair them, see docs/OPERATIONS.md.",
  },
  FETCHER_SEALED: {
    meaning: "The fetcher's seed is sealed: it has no keys until it is unlocked. Nothing was done.",
    remedy: "operator: `countersign-fetcher unlock` on the fetcher's host; then send the same body again.",
  },
  FETCH_ORDER_FORGED: {
    meaning: "An order to the fetcher does not carry the signature of its signer.",
    remedy: "operator: the fetcher is paired with another signer, or the API tier invented the order.",
  },
  FETCH_ORDER_SPENT: {
    meaning:
      "An order to the fetcher was carried out before, is older than two minutes, or older than the fetcher's process.",
    remedy: "send the same body again; if it stays, compare the clocks of the two hosts.",
  },
  FETCH_FAILED: {
    meaning: "The issuer cannot be reached, or did not answer in time.",
    remedy: "send the same body again.",
  },
  ISSUER_NOT_ALLOWED: {
    meaning: "The issuer is not on the fetcher's list, or not on https.",
    remedy: "operator: set `COUNTERSIGN_FETCHER_ISSUERS` or `COUNTERSIGN_FETCHER_LOCAL_ISSUERS`.",
  },
  OIDC_APPLICATION_NOT_ALLOWED: {
    meaning:
      "The organization, or its parent, does not list the application that the token is for, or the issuer.",
    remedy:
      "add issuer and client id to `FEATURE_NAME_OIDC_APPLICATIONS`, or use an application that it lists.",
  },
  OIDC_LINK_NOT_ALLOWED: {
    meaning:
      "A user of the parent may link only identities of Google, by their token, for an application of the auth proxy's settings. The user must be the only one of the sub-organization who has proven the token's address, and have no MFA policy.",
    remedy:
      "have the user add the identity by their own stamp, or add the client id to `socialLinkingClientIds`.",
  },
  ISSUER_ADDRESS_NOT_PUBLIC: {
    meaning:
      "The issuer is at an address that is not public. Name servers say so, and nothing proves their answer.",
    remedy: "operator: correct the name service, or set `COUNTERSIGN_FETCHER_LOCAL_ISSUERS`.",
  },
  ISSUER_INVALID: {
    meaning:
      "The issuer's configuration names another issuer, redirects, exceeds 256 KiB, or holds no key that is accepted.",
    remedy: "have the issuer's operator correct it; the sentence says which.",
  },
  STATEMENT_INVALID: {
    meaning:
      "A statement is not the paired fetcher's, or not about an order that this signer made for this request.",
    remedy: "operator: signer and fetcher are paired wrongly, or the API tier invented the statement.",
  },
  OIDC_TOKEN_INVALID: {
    meaning:
      "The OIDC token does not prove the identity: expiry, signature, key or audience; the sentence says which.",
    remedy: "get a new token.",
  },
  OIDC_NONCE_WRONG: {
    meaning: "The OIDC token was issued for another session key.",
    remedy: "ask the issuer for a token whose nonce is the lower-case hex SHA-256 of the key's hex text.",
  },
  OIDC_TOKEN_USED: {
    meaning: "The OIDC token has opened a session in this organization before, or linked its identity.",
    remedy: "have the user log in at the issuer again.",
  },
  LOGIN_MFA_NEEDED: {
    meaning: "An MFA policy of the user asks for more than the token that was sent.",
    remedy: "log in with `stamp_login` and an attested stamp, and approve it with the other methods.",
  },
  IDENTITY_TAKEN: {
    meaning: "A user of the organization has this issuer, audience and subject.",
    remedy: "use that identity, or delete it there.",
  },
  CLIENT_SECRET_INVALID: {
    meaning:
      "The client secret does not open with the fetcher's key, or another organization registered it. One code for both, so that neither is disclosed.",
    remedy: "seal it again to the encryption half of `fetcherPublicKey`.",
  },
  CLIENT_SECRET_OF_ANOTHER_ORGANIZATION: {
    meaning: "The client secret was sealed for another organization: the sealed text names it.",
    remedy: "seal it for this organization: `countersign seal client-secret`.",
  },
  OAUTH2_REFUSED: {
    meaning:
      "The OAuth 2.0 provider refused the code, or gave a reply that names no user; the sentence says which.",
    remedy: "have the user log in at the provider again; where it names the client, correct the credential.",
  },
  OAUTH2_UNAVAILABLE: {
    meaning:
      "The OAuth 2.0 provider did not answer in time, or cannot be reached. Its code may have been used.",
    remedy:
      "send the same body again; if the provider then refuses the code, have the user log in there again.",
  },
  OAUTH2_ISSUER_UNCONFIGURED: {
    meaning: "The service issues no ID tokens: the signer does not know the service's own issuer.",
    remedy: "operator: set `COUNTERSIGN_SIGNER_OIDC_ISSUER` to the public URL of the API.",
  },
  OAUTH2_NONCE_INVALID: {
    meaning:
      "The nonce is not the lower-case hexadecimal SHA-256 of a session key, so no login could use the token.",
    remedy: "send the SHA-256 of the session key's hexadecimal text as nonce.",
  },
  ON_RAMP_KEY_INVALID: {
    meaning:
      "A sealed key of an on-ramp provider does not open, is not of the provider's form, or another organization registered it.",
    remedy: "seal the key that the provider issued again, to `onRampPublicKey` of the pins.",
  },
  ON_RAMP_KEY_OF_ANOTHER_ORGANIZATION: {
    meaning: "A key of an on-ramp provider was sealed for another organization: the sealed text names it.",
    remedy: "seal it for this organization: `countersign seal on-ramp-key`.",
  },
  ON_RAMP_CREDENTIAL_MISSING: {
    meaning: "The organization, or its parent, has no credential of this on-ramp provider for this mode.",
    remedy: "create one in the top-level organization with `create_fiat_on_ramp_credential`.",
  },
  ON_RAMP_ASSET_UNSUPPORTED: {
    meaning: "The crypto currency is not sold on this network.",
    remedy: "name a pair of docs/choices/on-ramp.md C-894.",
  },
  ON_RAMP_PAYMENT_METHOD_UNSUPPORTED: {
    meaning: "The on-ramp provider does not offer this payment method.",
    remedy: "name one of the provider's methods, or none.",
  },
  ON_RAMP_ADDRESS_INVALID: {
    meaning: "The wallet address is none of the network.",
    remedy: "name an address of that network; test networks only in sandbox mode.",
  },
  ON_RAMP_URL_NOT_ALLOWED: {
    meaning: "The address to sign is not one of MoonPay's widget for this purchase.",
    remedy:
      "build it with MoonPay's SDK from the same key, address and currency; the sentence names the part.",
  },
  ON_RAMP_REFUSED: {
    meaning: "The on-ramp provider refused the request.",
    remedy:
      "the sentence has the provider's status: 401 and 403 mean the credential's keys, 400 the purchase.",
  },
  ON_RAMP_UNAVAILABLE: {
    meaning:
      "The on-ramp provider gave no answer that can be used, or the fetcher does not know the end user's address.",
    remedy: "send the same body again.",
  },
  OTP_CODE_INVALID: {
    meaning:
      "The one-time code is wrong, has expired, was used or had its three attempts. The same answer means that no such code was sent for this organization in this way. All of these have one text, which published clients match.",
    remedy: "have the user read the newest message again; after three attempts send another with `init_otp`.",
  },
  OTP_LIMIT_EXCEEDED: {
    meaning:
      "The contact has three live codes or had 60 unused ones in a day, or the user identifier three codes in three minutes. Published clients match the text.",
    remedy: "wait; a code that is used up makes room at once.",
  },
  INVITATION_LIMIT_EXCEEDED: {
    meaning:
      "The address got three invitations within a day from one top-level organization and its sub-organizations.",
    remedy: "wait a day.",
  },
  OTP_DISABLED: {
    meaning: "The organization has not switched on one-time codes by this channel.",
    remedy: "`set_organization_feature` with the feature that the sentence names.",
  },
  OTP_CONTACT_INVALID: {
    meaning: "The contact is no e-mail address, or no phone number in the form of E.164.",
    remedy: "correct it; the sentence says what is expected.",
  },
  OTP_MESSAGE_INVALID: {
    meaning: "The wording of a message cannot be used: its name, link, picture, template or variables.",
    remedy: "correct the member that the sentence names.",
  },
  OTP_SENDER_NOT_ALLOWED: {
    meaning:
      "The sender's address, or the address for replies, is of no domain that the fetcher's operator approved.",
    remedy: "leave it out, or have the domain added to `COUNTERSIGN_FETCHER_MAIL_DOMAINS`.",
  },
  OTP_DELIVERY_UNCONFIGURED: {
    meaning: "The fetcher has no way to send messages by this channel.",
    remedy:
      "operator: set `COUNTERSIGN_FETCHER_SMTP_URL`, or `COUNTERSIGN_FETCHER_SMS_PROVIDER`; see docs/OPERATIONS.md.",
  },
  OTP_DELIVERY_FAILED: {
    meaning: "The mail server, or the provider of text messages, did not take the message. The code is void.",
    remedy: "check the contact, and send the same body again.",
  },
  OTP_STORE_UNAVAILABLE: {
    meaning: "The fetcher cannot write its state: its disk is full, or failed. No code was sent or compared.",
    remedy: "operator: make room on that disk, or restart the fetcher; then send the same body again.",
  },
  VERIFICATION_TOKEN_INVALID: {
    meaning:
      "The verification token is not one of the paired fetcher, has expired, or is of another organization.",
    remedy: "verify the contact again with `init_otp` and `verify_otp`.",
  },
  VERIFICATION_TOKEN_USED: {
    meaning: "The verification token was used for this before.",
    remedy: "verify the contact again with `init_otp` and `verify_otp`.",
  },
  CLIENT_SIGNATURE_INVALID: {
    meaning: "The signature is missing, or is not that of the token's key over a message about this request.",
    remedy:
      "sign the use of the token with the key that was sent with the code; the sentence says what differs.",
  },
  VERIFICATION_TOKEN_UNSEALED: {
    meaning:
      "The verification token is for a code that was not sealed, and the sign-up's version takes tokens of sealed codes alone.",
    remedy:
      "use ACTIVITY_TYPE_INIT_OTP_V3 and ACTIVITY_TYPE_VERIFY_OTP_V2, or ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7.",
  },
  VERIFICATION_TOKEN_CONTACT_WRONG: {
    meaning: "The verification token is for another contact than the request gives the user.",
    remedy: "verify that contact, and spell it as it was verified.",
  },
  SIGN_UP_USERS_UNSIGNED: {
    meaning:
      "A sign-up with a verification token has several root users: the signature of the token's key is about one.",
    remedy: "add the others afterwards, or leave the token out.",
  },
  CONTACT_AMBIGUOUS: {
    meaning: "Several users of the organization have the contact that the token proves.",
    remedy: "log in with another credential, or give each user a contact of their own.",
  },
  OTP_SEALED_ONLY: {
    meaning:
      "The organization, or its parent, accepts sealed codes alone: a party that relays a code in clear could use it.",
    remedy: "use ACTIVITY_TYPE_INIT_OTP_V3 and ACTIVITY_TYPE_VERIFY_OTP_V2.",
  },
  EMAIL_AUTH_DISABLED: {
    meaning: "The organization has not switched on logins by a key that is mailed.",
    remedy: "`set_organization_feature` with FEATURE_NAME_EMAIL_AUTH.",
  },
  EMAIL_RECOVERY_DISABLED: {
    meaning:
      "The organization has not switched on recovery by mail, or not for root users of a top-level organization.",
    remedy: "`set_organization_feature` with the feature that the sentence names.",
  },
  RECOVERY_KEY_CONFINED: {
    meaning: "A recovery key asked for something other than a passkey of its own user.",
    remedy: "add a passkey with `recover_user`, and stamp with it.",
  },
  RECOVERY_KEY_NEEDED: {
    meaning: "`recover_user` was stamped with another credential than a recovery key.",
    remedy: "stamp with the key of the e-mail, or use `create_authenticators`.",
  },
  PHASE_WRONG: {
    meaning: "The signer does not answer this call in its present phase.",
    remedy: "ask for its status.",
  },
  LEDGER_MISSING: {
    meaning: "There is a root seed and no ledger.",
    remedy: "operator: see docs/OPERATIONS.md, losses.",
  },
  LEDGER_FOREIGN: {
    meaning: "The ledger belongs to another root seed.",
    remedy: "operator: put seed and ledger of one deployment together.",
  },
  ROOT_SEED_UNUSABLE: {
    meaning: "The root seed's file is readable by others, or is not 32 bytes long.",
    remedy: "operator: the sentence says which.",
  },
  ROOT_SEED_MISSING: {
    meaning:
      "The signer has neither root seed nor ledger. It creates a deployment only when an operator says so.",
    remedy: "operator: restore both, or run `countersign-signer init`; see docs/OPERATIONS.md, losses.",
  },
  SIGNER_SEALED: {
    meaning: "The root seed is sealed, so the signer has no keys. Nothing was done.",
    remedy:
      "operator: unlock it with shares or a daily way: `countersign-signer unlock`. Then send the same body again.",
  },
  SEALED_SEED_DAMAGED: {
    meaning: "The file of a sealed seed was altered or cut, or a later release wrote it.",
    remedy:
      "operator: restore the file from a copy; every copy of the same generation opens with the same shares.",
  },
  SEED_NOT_SEALED: {
    meaning: "The seed lies in a plain file, so there is nothing to unlock or to lock.",
    remedy: "operator: seal it with `countersign-signer ceremony`.",
  },
  SHARE_MISTYPED: {
    meaning:
      "A share cannot be read: a word is not on the list, words are missing, or the checksum does not fit.",
    remedy: "holder: the sentence names the place of the word; compare it with the sheet.",
  },
  SHARE_FOREIGN: {
    meaning: "A share belongs to another deployment, process or set of shares.",
    remedy: "holder: take the sheet with the deployment, process and generation that the sentence names.",
  },
  SHARE_REPEATED: { meaning: "This share was given already.", remedy: "another holder gives another share." },
  SHARES_WRONG: {
    meaning: "Enough shares were given, and together they do not open the seed. All of them were forgotten.",
    remedy: "holders: give shares of one set; at least one was altered, or comes from another ceremony.",
  },
  PASSPHRASE_WRONG: {
    meaning: "The passphrase does not open the seed.",
    remedy: "operator: type it again, or unlock with shares, which always open it.",
  },
  UNSEAL_KEY_WRONG: {
    meaning: "The output of the command is no key, or does not open the seed.",
    remedy: "operator: check the command and its key store, or unlock with shares, which always open it.",
  },
  SEED_SLOT_MISSING: {
    meaning: "The sealed seed has no way of this kind.",
    remedy: "operator: unlock with shares; a change of shares can add a passphrase or a command.",
  },
  SHARES_IMPOSSIBLE: {
    meaning: "A seed cannot be split into so many shares, or with such a threshold.",
    remedy: "operator: 2 to 15 shares, and a threshold from 2 to their number.",
  },
  APPROVALS_NEEDED: {
    meaning: "The act needs approvals of holders, and none was given. Nothing was changed.",
    remedy:
      "operator: have its text made with `countersign-signer approve prepare`, and approved by as many holders as the sentence says.",
  },
  APPROVALS_TOO_FEW: {
    meaning: "Fewer holders approved the act than are needed. Nothing was changed.",
    remedy: "operator: have more holders approve the same text.",
  },
  APPROVAL_REPEATED: {
    meaning: "A holder's approval was given twice. Nothing was changed.",
    remedy: "operator: give one approval of each holder.",
  },
  APPROVAL_WRONG: {
    meaning:
      "A signature does not verify: the text or the signature was altered, or another key signed. Nothing was changed.",
    remedy: "holder: sign the text again, as the signer made it.",
  },
  APPROVAL_EXPIRED: {
    meaning: "The text of the act has expired. Nothing was changed.",
    remedy: "operator: have a new text made and approved.",
  },
  APPROVAL_USED: {
    meaning: "The text of the act was used already. Nothing was changed.",
    remedy: "operator: have a new text made and approved, if the act is to be done again.",
  },
  APPROVAL_UNKNOWN: {
    meaning:
      "This signer made no such text since it was unlocked: it was started or locked since, or the text was altered. Nothing was changed.",
    remedy: "operator: have a new text made and approved.",
  },
  APPROVAL_OTHER_ACT: {
    meaning: "The approvals are of another act, or of the same with other parameters. Nothing was changed.",
    remedy: "operator: do the act that was approved, or have this one approved.",
  },
  APPROVAL_FOREIGN: {
    meaning:
      "An approval is of another deployment, of an earlier set of holders, or of a key that is no holder's. Nothing was changed.",
    remedy: "operator: have the text of this deployment approved by its present holders.",
  },
  APPROVAL_MALFORMED: {
    meaning: "The text of an act, or an approval of it, cannot be read. Nothing was changed.",
    remedy: "operator: give the files as `countersign-signer holder sign` wrote them.",
  },
  HOLDERS_ABSENT: {
    meaning: "No holders are enrolled, so acts need no approvals.",
    remedy: "operator: run the act; to enroll holders: `countersign-signer change-holders`.",
  },
  HOLDERS_CHANGED: {
    meaning:
      "The sealed file names other holders than those that the signer knows since it was unlocked. Nothing was changed.",
    remedy:
      "operator: lock the signer and unlock it, or start it again; then have a new text made and approved.",
  },
  HOLDERS_IMPOSSIBLE: {
    meaning:
      "The list of holders is impossible: it needs one key of P-256 for each share, all of them different. Nothing was changed.",
    remedy: "operator: name a key for each share, in the order of the shares.",
  },
  WITNESSES_CHANGED: {
    meaning:
      "The settings name other witnesses of the log, or another threshold, than the sealed seed of a deployment in production.",
    remedy:
      "operator: put the earlier settings back, or have holders approve these: `countersign-signer change-witnesses`.",
  },
  SEAL_OLDER: {
    meaning:
      "The sealed file is an earlier one than the ledger has seen, or the root seed lies in a plain one again.",
    remedy:
      "operator: put the newest file back, or have shares accept this one: `countersign-signer accept-seal`.",
  },
  LEDGER_FORMAT_UNKNOWN: {
    meaning: "Another release wrote the ledger, in another format.",
    remedy: "operator: start the release that wrote it; the sentence names both formats.",
  },
  LEDGER_DAMAGED: {
    meaning: "A row of the ledger was altered or lost, or the ledger is older than its witness.",
    remedy: "operator: see docs/OPERATIONS.md, losses.",
  },
  LEDGER_OLDER: {
    meaning:
      "A document, a record or a checkpoint that this deployment signed is newer than the ledger or its log. The ledger was restored from an older copy, or a second copy of it is in use. The signer decides nothing until an operator acts.",
    remedy: "operator: restore the newest ledger, or run `accept-ledger`; see docs/OPERATIONS.md, losses.",
  },
  CLOCK_UNTRUSTED: {
    meaning:
      "The host's clock is over 5 minutes below or 28 days above the ledger's, or was set back, or an older ledger was accepted.",
    remedy:
      "operator: correct the clock, or run `accept-clock`; where `status` names a time, wait until then.",
  },
  SIGNER_BUSY: { meaning: "More orders wait than the signer takes.", remedy: "send the same body again." },
  SIGNER_STOPPING: {
    meaning: "The signer stops: it finishes the orders that it runs, and begins no other. Nothing was done.",
    remedy: "send the same body again, once the signer is up.",
  },
  DEADLINE_EXCEEDED: {
    meaning: "The order waited longer than its caller does: it was not run.",
    remedy: "send the same body again, later.",
  },
  LEDGER_FORKED: {
    meaning:
      "A checkpoint that this deployment's log signed is not one of the present log: the log or the ledger is one of two copies that went on by themselves, or was changed. The signer decides nothing until an operator acts.",
    remedy:
      "operator: stop the other signer, restore the newest ledger with its log, or run `accept-ledger`; see docs/OPERATIONS.md, losses.",
  },
  UNWITNESSED: {
    meaning:
      "Too few witnesses cosigned the signer's log: since its start, when nothing is decided before, or up to this decision, where the operator asked for that before each answer. The sentence names the witnesses that are missing.",
    remedy:
      "send the same body again; operator: start the witnesses, see `countersign-signer status` and docs/RUNBOOKS.md, witnesses.",
  },
  CHECKPOINT_INVALID: {
    meaning:
      "The checkpoint is not signed by this deployment's log. It was ignored, and nothing was changed.",
    remedy: "show a checkpoint as its note, with the signature of the log.",
  },
  BACKUP_BUSY: {
    meaning: "Another backup is being made. Nothing was copied.",
    remedy:
      "operator: wait for its end, or a minute after its command was stopped; then give the command again.",
  },
  CALLER_UNKNOWN: {
    meaning: "The common name of the caller's certificate is not on the list of callers of this service.",
    remedy: "operator: compare the certificate's common name with `COUNTERSIGN_SIGNER_CALLERS`.",
  },
  LEDGER_FULL: {
    meaning:
      "The disk of the signer's ledger is full. Nothing was written; signatures that change nothing still work.",
    remedy: "operator: make room on that disk; then send the same body again.",
  },
  AUDIT_UNWRITABLE: {
    meaning: "The record of an operator's act cannot be written to the audit stream. Nothing was done.",
    remedy:
      "operator: make room on the disk of `COUNTERSIGN_SIGNER_AUDIT_DIRECTORY`, then run the command again; see docs/RUNBOOKS.md, Signer's disk is nearly full.",
  },
  ORGANIZATION_BUSY: {
    meaning: "The organization changed while the request was decided.",
    remedy: "send the same body again.",
  },
  INTERNAL: { meaning: "The signer has a fault of its own.", remedy: "operator: read its log." },
}

/** Steps that refuse, by the name of the group. */
export const REFUSAL_GROUP_TITLES: { readonly [group: string]: string } = {
  REFUSAL_GROUP_STAMP: "Reading and verifying the stamp",
  REFUSAL_GROUP_REQUEST: "Reading the request",
  REFUSAL_GROUP_ORGANIZATION: "Finding the organization",
  REFUSAL_GROUP_CONTEXT: "Checking the supplied documents, records and statements",
  REFUSAL_GROUP_DECISION: "Replay, decision and votes",
  REFUSAL_GROUP_SETUP_CODE: "Creating a top-level organization",
  REFUSAL_GROUP_RESOURCE: "Running an activity on users, credentials and settings",
  REFUSAL_GROUP_POLICY: "Running an activity on policies and contract interfaces",
  REFUSAL_GROUP_KEY: "Running an activity on wallets, private keys and payloads",
  REFUSAL_GROUP_TRANSFER: "Importing and exporting secrets",
  REFUSAL_GROUP_FETCH: "Fetcher, issuers and OIDC tokens",
  REFUSAL_GROUP_SIGNER: "The signer itself",
}
