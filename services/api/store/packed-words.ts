/**
 * Words of packed texts: the position of a word is its code, and is stored. Never move, change or remove one; add at the
 * end. The first 200 take one byte, the others two.
 */
export const WORDS: readonly string[] = [
  "",
  // Between two quotation marks of JSON.
  ..."{ } : , :{ }, }} },{ [ ] [{ }] :[ ], :[{ }], ]}} }]} :{} :[] :null, :true, :false, :true} :false} :[]} :[[ ,1] ,2] ,3] ,4] ,1],[ ,2],[ ,3],[ ,4],[ ,1]]".split(
    " ",
  ),
  ...",2]] ,3]] ,4]] ,1]]}] ,2]]}] ,3]]}] ,4]]}]".split(" "),
  // Envelope of a request.
  ..."type timestampMs organizationId parameters generateAppProofs".split(" "),
  // Votes as they are stored.
  ..."id userId selection message publicKey signature scheme createdMs policyOutcomes voterIds mfaStatuses".split(
    " ",
  ),
  ..."VOTE_SELECTION_APPROVED VOTE_SELECTION_REJECTED SIGNATURE_SCHEME_TK_API_P256".split(" "),
  ..."SIGNATURE_SCHEME_TK_WEBAUTHN SIGNATURE_SCHEME_TK_API_SECP256K1 SIGNATURE_SCHEME_TK_API_ED25519".split(
    " ",
  ),
  ..."SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191 fingerprint sha256".split(" "),
  // Stamps of passkeys.
  ..."authenticatorData clientDataJson credentialId challenge origin crossOrigin webauthn.get".split(" "),
  // Signatures of raw payloads.
  ..."signRawPayloadIntentV2 signRawPayloadsIntent signRawPayloadResult signRawPayloadsResult signatures".split(
    " ",
  ),
  ..."signWith payload payloads encoding hashFunction r s v 00 01".split(" "),
  ..."PAYLOAD_ENCODING_HEXADECIMAL PAYLOAD_ENCODING_TEXT_UTF8 PAYLOAD_ENCODING_EIP712".split(" "),
  ..."PAYLOAD_ENCODING_EIP7702_AUTHORIZATION".split(" "),
  ..."HASH_FUNCTION_NO_OP HASH_FUNCTION_SHA256 HASH_FUNCTION_KECCAK256 HASH_FUNCTION_NOT_APPLICABLE".split(
    " ",
  ),
  // Signatures of transactions.
  ..."signTransactionIntentV2 signTransactionResult unsignedTransaction signedTransaction".split(" "),
  ..."TRANSACTION_TYPE_ETHEREUM TRANSACTION_TYPE_SOLANA TRANSACTION_TYPE_TRON TRANSACTION_TYPE_BITCOIN".split(
    " ",
  ),
  // Sends.
  ..."ethSendTransactionIntent ethSendTransactionIntentV2 ethSendTransactionResult solSendTransactionIntent".split(
    " ",
  ),
  ..."solSendTransactionIntentV2 solSendTransactionResult sendTransactionStatusId from to caip2 value data calls".split(
    " ",
  ),
  ..."nonce gasLimit maxFeePerGas maxPriorityFeePerGas sponsor deadline gasStationNonce eip155:1".split(" "),
  ..."recentBlockhash 0x 0".split(" "),
  // Votes as activities.
  ..."approveActivityIntent rejectActivityIntent".split(" "),
  // Users, keys, wallets.
  ..."walletName accounts mnemonicLength curve pathFormat path addressFormat walletId addresses address".split(
    " ",
  ),
  ..."privateKeyId privateKeyIds privateKeys privateKeyName privateKeyTags userName userEmail userTags userIds".split(
    " ",
  ),
  ..."apiKeys apiKeyName apiKeyIds curveType expirationSeconds authenticators authenticatorIds oauthProviders".split(
    " ",
  ),
  ..."users rootUsers rootUserIds rootQuorumThreshold threshold subOrganizationName subOrganizationId wallet".split(
    " ",
  ),
  ..."CURVE_SECP256K1 CURVE_ED25519 CURVE_P256 PATH_FORMAT_BIP32 ADDRESS_FORMAT_ETHEREUM".split(" "),
  ..."ADDRESS_FORMAT_SOLANA API_KEY_CURVE_P256 API_KEY_CURVE_SECP256K1 API_KEY_CURVE_ED25519".split(" "),
  ..."policyName policyId effect condition consensus notes EFFECT_ALLOW EFFECT_DENY targetPublicKey".split(
    " ",
  ),
  // App proofs.
  ..."proofPayload SIGNATURE_SCHEME_EPHEMERAL_KEY_P256 keyId".split(" "),
  // Logins, sub-organizations, policies.
  ..."stampLoginIntent stampLoginResult otpLoginIntentV2 otpLoginResult oauthLoginIntent oauthLoginResult".split(
    " ",
  ),
  ..."initOtpIntentV3 initOtpResult verifyOtpIntentV2 verifyOtpResult session verificationToken oidcToken".split(
    " ",
  ),
  ..."createSubOrganizationIntentV7 createSubOrganizationResultV7 createWalletIntent createWalletResult".split(
    " ",
  ),
  ..."createWalletAccountsIntent createWalletAccountsResult createPrivateKeysIntentV2".split(" "),
  ..."createPrivateKeysResultV2 createUsersIntentV3 createUsersResult createApiKeysIntentV2".split(" "),
  ..."createApiKeysResult createPolicyIntentV3 createPolicyResult updatePolicyIntentV2 updatePolicyResult".split(
    " ",
  ),
  "listedOutcomes",
  "logReceipt",
]
