// Roots of conditions that requests of each activity may have, written by hand from section "Policy language" of the
// interface's document.

const SIGNER = ["wallet", "wallet_account", "private_key"]
const TYPED_PAYLOADS = ["eth.eip_712", "eth.user_op", "eth.eip_7702_authorization"]
const TRANSACTIONS = ["eth.tx", "solana.tx", "tron.tx", "bitcoin.tx", "tempo.tx"]

/** By the type without prefix. Every other type has none of these. */
const ROOTS: { readonly [type: string]: readonly string[] } = {
  SIGN_RAW_PAYLOAD: [...SIGNER, ...TYPED_PAYLOADS],
  SIGN_RAW_PAYLOAD_V2: [...SIGNER, ...TYPED_PAYLOADS],
  SIGN_RAW_PAYLOADS: [...SIGNER, ...TYPED_PAYLOADS],
  SIGN_TRANSACTION: [...SIGNER, ...TRANSACTIONS],
  SIGN_TRANSACTION_V2: [...SIGNER, ...TRANSACTIONS],
  ETH_SEND_TRANSACTION: [...SIGNER, "eth.tx"],
  ETH_SEND_TRANSACTION_V2: [...SIGNER, "eth.tx"],
  ETH_SEND_RAW_TRANSACTION: ["eth.tx"],
  ETH_UNDELEGATE_7702: [...SIGNER, "eth.tx", "eth.eip_7702_authorization"],
  ETH_REPLACE_TRANSACTION: [...SIGNER, "eth.tx"],
  ETH_CANCEL_TRANSACTION: [...SIGNER, "eth.tx"],
  SOL_SEND_TRANSACTION: [...SIGNER, "solana.tx"],
  SOL_SEND_TRANSACTION_V2: [...SIGNER, "solana.tx"],
  EXPORT_WALLET: ["wallet"],
  EXPORT_WALLET_ACCOUNT: ["wallet", "wallet_account"],
  EXPORT_PRIVATE_KEY: ["private_key"],
  EXPORT_SECRETS: ["secret"],
  DELETE_WALLETS: ["wallets"],
}

export function rootsByHand(type: string): readonly string[] {
  return ROOTS[type.replace("ACTIVITY_TYPE_", "")] ?? []
}

/** A condition that reads the root and is true of no request of the tests. */
export const READING: { readonly [root: string]: string } = {
  wallet: "wallet.id == 'x'",
  wallets: "wallets.count() == 99",
  wallet_account: "wallet_account.address == 'x'",
  private_key: "private_key.id == 'x'",
  secret: "secret.static_properties['x'] == 'x'",
  "eth.tx": "eth.tx.value == 99",
  "eth.eip_712": "eth.eip_712.primary_type == 'x'",
  "eth.user_op": "eth.user_op.nonce == 99",
  "eth.eip_7702_authorization": "eth.eip_7702_authorization.nonce == 99",
  "solana.tx": "solana.tx.program_keys.count() == 99",
  "tron.tx": "tron.tx.fee_limit == 99",
  "bitcoin.tx": "bitcoin.tx.fee == 99",
  "tempo.tx": "tempo.tx.nonce == 99",
}
