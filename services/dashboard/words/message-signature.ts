// Messages as wallets sign them, and signatures as verifiers take them.

type AccountKey = { curve: string; addressFormat: string }
export type AccountSignature = { r: string; s: string; v: string }

const isEvm = (account: AccountKey | undefined) => account?.addressFormat === "ADDRESS_FORMAT_ETHEREUM"

/**
 * The payload of a message: for EVM accounts by EIP-191, version 0x45; for Ed25519 the text itself; for others the SHA-256 of the
 * text.
 */
export function messagePayload(message: string, account: AccountKey | undefined) {
  const length = new TextEncoder().encode(message).length
  const hashFunction = isEvm(account)
    ? "HASH_FUNCTION_KECCAK256"
    : account?.curve === "CURVE_ED25519"
      ? "HASH_FUNCTION_NOT_APPLICABLE"
      : "HASH_FUNCTION_SHA256"
  const payload = isEvm(account) ? `\u0019Ethereum Signed Message:\n${length}${message}` : message
  // An empty message is left to the API's reader, which says that it is missing.
  return { payload: message === "" ? "" : payload, encoding: "PAYLOAD_ENCODING_TEXT_UTF8", hashFunction }
}

/** Recovery id of Ethereum's signatures (yellow paper, appendix F): 27 or 28. */
const FIRST_RECOVERY_ID = 27

/** 0x, r, s and v for EVM accounts, as `personal_sign` returns it; r and s for others. */
export function signatureText({ r, s, v }: AccountSignature, account: AccountKey | undefined): string {
  if (!isEvm(account)) return `${r}${s}`
  return `0x${r}${s}${(Number.parseInt(v, 16) + FIRST_RECOVERY_ID).toString(16)}`
}
