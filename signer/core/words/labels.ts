// Names of activities and of their members, as people read them.

const VERSION = /_V\d+$/

/** Abbreviations as they are written. */
const WRITTEN: { readonly [word: string]: string } = {
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

/** "Create wallet" of ACTIVITY_TYPE_CREATE_WALLET_V2. */
export function titleOf(type: string): string {
  return inWords(type.replace("ACTIVITY_TYPE_", "").replace(VERSION, "").toLowerCase().split("_"))
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
