// Names of activities and of their members, as people read them.

const VERSION = /_V\d+$/

/** Abbreviations as they are written. */
const WRITTEN: { readonly [word: string]: string } = {
  "7702": "account (EIP-7702)",
  api: "API",
  eth: "Ethereum",
  html: "HTML",
  ids: "ids",
  ip: "IP",
  json: "JSON",
  mfa: "MFA",
  oauth: "OAuth",
  oauth2: "OAuth 2.0",
  oidc: "OIDC",
  otp: "code",
  sms: "SMS",
  sol: "Solana",
  url: "URL",
}

/** Chains with which names of activities begin. */
const CHAINS = new Set(["eth", "sol"])

/** "Create wallet" of ACTIVITY_TYPE_CREATE_WALLET_V2, "Send Ethereum transaction" of ACTIVITY_TYPE_ETH_SEND_TRANSACTION. */
export function titleOf(type: string): string {
  const words = type.replace("ACTIVITY_TYPE_", "").replace(VERSION, "").toLowerCase().split("_")
  const [chain = "", verb = "", ...others] = words
  return inWords(CHAINS.has(chain) ? [verb, chain, ...others] : words)
}

/** "User name" of `userName`. */
export function labelOf(jsonName: string): string {
  return inWords(
    jsonName
      .replace(/([A-Z])/g, " $1")
      .toLowerCase()
      .split(" "),
  )
}

function inWords(words: readonly string[]): string {
  const text = words.map((word) => (Object.hasOwn(WRITTEN, word) ? WRITTEN[word] : word)).join(" ")
  return text.charAt(0).toUpperCase() + text.slice(1)
}
