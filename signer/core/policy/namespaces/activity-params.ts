import { bool, caseless, type Fields, int, list, reference, oneOf, string, uint } from "../language/types.ts"
import { claimPackage, lightningReceivePackage, signatureRequest, transferPackage } from "./spark.ts"

// What `activity.params` shows of each activity. Nothing else of an activity's parameters is open to policies.

const signing: Fields = {
  hash_function: oneOf(
    "HASH_FUNCTION_NO_OP",
    "HASH_FUNCTION_SHA256",
    "HASH_FUNCTION_KECCAK256",
    "HASH_FUNCTION_NOT_APPLICABLE",
  ),
  encoding: oneOf(
    "PAYLOAD_ENCODING_HEXADECIMAL",
    "PAYLOAD_ENCODING_TEXT_UTF8",
    "PAYLOAD_ENCODING_EIP712",
    "PAYLOAD_ENCODING_EIP7702_AUTHORIZATION",
  ),
}
const newKeys: Fields = { user_id: reference("user-id") }
/** An export takes hexadecimal digits in either case. */
const target: Fields = { target_public_key: caseless }
/** `''` where the login names no profile. */
const login: Fields = { session_profile_id: reference("session-profile-id") }
const oneTimePassword: Fields = { otp_length: int }
const endpoint: Fields = { endpoint_id: string }
const sparkKey: Fields = { sign_with: string }

/** Amounts are uints, read from decimal text; `slippage_bps` is not used where the request leaves it out. */
const swapQuote: Fields = {
  sign_with: string,
  input_token: string,
  output_token: string,
  input_amount: uint,
  slippage_bps: uint,
}
const quotedSwap: Fields = {
  quote_id: string,
  input_token: string,
  output_token: string,
  input_amount: uint,
  quoted_output_amount: uint,
  min_output_amount: uint,
  sponsor: bool,
  evm_nonce: string,
  recent_blockhash: string,
}
const destination: Fields = { destination_address: string }

/** Fields by the activity's type, without `ACTIVITY_TYPE_`. */
export const paramsByActivity: Readonly<Record<string, Fields>> = {
  SIGN_RAW_PAYLOAD: signing,
  SIGN_RAW_PAYLOAD_V2: signing,
  SIGN_RAW_PAYLOADS: signing,
  SIGN_TRANSACTION_V2: {
    type: oneOf(
      "TRANSACTION_TYPE_ETHEREUM",
      "TRANSACTION_TYPE_SOLANA",
      "TRANSACTION_TYPE_BITCOIN",
      "TRANSACTION_TYPE_TRON",
      "TRANSACTION_TYPE_TEMPO",
    ),
  },
  DELETE_USERS: { user_ids: list(reference("user-id")) },
  CREATE_API_KEYS: newKeys,
  CREATE_API_KEYS_V2: newKeys,
  DELETE_API_KEYS: { user_id: reference("user-id"), api_key_ids: list(string) },
  EXPORT_WALLET: target,
  EXPORT_WALLET_ACCOUNT: target,
  EXPORT_PRIVATE_KEY: target,
  UPDATE_WALLET: { wallet_id: reference("wallet-id") },
  INIT_OTP_AUTH_V2: oneTimePassword,
  INIT_OTP_AUTH_V3: oneTimePassword,
  OTP_LOGIN: login,
  OTP_LOGIN_V2: login,
  STAMP_LOGIN: login,
  OAUTH_LOGIN: login,
  UPDATE_WEBHOOK_ENDPOINT: endpoint,
  DELETE_WEBHOOK_ENDPOINT: endpoint,
  SPARK_SIGN_FROST: { ...sparkKey, signatures: list(signatureRequest) },
  SPARK_PREPARE_TRANSFER: { ...sparkKey, transfer: transferPackage },
  SPARK_CLAIM_TRANSFER: { ...sparkKey, claim: claimPackage },
  SPARK_PREPARE_LIGHTNING_RECEIVE: { ...sparkKey, lightning_receive: lightningReceivePackage },
  CREATE_SWAP_QUOTE: swapQuote,
  CREATE_SWAP_QUOTE_V2: { ...swapQuote, ...destination },
  EXECUTE_SWAP: {
    input_token: string,
    output_token: string,
    input_amount: uint,
    min_output_amount: uint,
    wallet_account: string,
    sponsor: bool,
    slippage: uint,
    provider: string,
  },
  EXECUTE_SWAP_V2: quotedSwap,
  EXECUTE_SWAP_V3: { ...quotedSwap, ...destination },
  EARN_DEPOSIT: { wrapper_address: string, sign_with: string, assets: uint, chain: string, sponsor: bool },
  EARN_WITHDRAW: {
    wrapper_address: string,
    sign_with: string,
    chain: string,
    // Text: `MAX` is an amount too.
    amount_value: string,
    sponsor: bool,
  },
  EARN_DEPLOY_WRAPPER: {
    vault_address: string,
    chain: string,
    client_fee_bps: uint,
    client_fee_wallet: string,
  },
  EARN_SET_WRAPPER_STATE: { wrapper_address: string, deposits_disabled: bool },
  EARN_CLAIM_REWARDS: { sign_with: string, chain: string, sponsor: bool },
  CLAIM_EARN_FEES: { wrapper_address: string },
}

/** Fields that an activity of this type shows; `ACTIVITY_TYPE_` may stand before it. */
export function paramsOf(activityType: string): Fields {
  const type = activityType.replace(/^ACTIVITY_TYPE_/, "")
  return (Object.hasOwn(paramsByActivity, type) ? paramsByActivity[type] : undefined) ?? {}
}
