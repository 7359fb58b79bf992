// Activities in words. Names come from the organization, parameters from the stamped request.
import type { Json } from "../api/client.ts"
import { visible } from "./visible.ts"

const VERSION = /_V\d+$/

/** "Create wallet" of ACTIVITY_TYPE_CREATE_WALLET. */
export function titleOf(type: string): string {
  const words = type.replace("ACTIVITY_TYPE_", "").replace(VERSION, "").toLowerCase().replaceAll("_", " ")
  return (words.charAt(0).toUpperCase() + words.slice(1))
    .replace(/\botp\b/g, "code")
    .replace(/\boauth2?\b/gi, "OAuth")
    .replace(/\bip\b/g, "IP")
    .replace(/\bmfa\b/g, "MFA")
    .replace(/\bapi\b/g, "API")
    .replace(/^Eth\b/, "Ethereum")
    .replace(/^Sol\b/, "Solana")
}

/** The path of submit operations that takes a type: the type without its version. */
export function pathOf(type: string): string {
  return type.replace("ACTIVITY_TYPE_", "").replace(VERSION, "").toLowerCase()
}

type NameOf = (id: string) => string | undefined

const text = (value: unknown): string => (typeof value === "string" ? value : "")

/** The name of an id or address, with an address beside it; without a name, it is shortened in the middle. */
const named = (id: unknown, nameOf: NameOf): string => {
  const shown = text(id)
  const short = shown.length > 24 ? `${shown.slice(0, 8)}…${shown.slice(-6)}` : shown
  const name = nameOf(shown)
  if (name === undefined) return short
  return /^[0-9a-f]{8}-/.test(shown) ? name : `${name} (${short})`
}

/** A request in one sentence. `parameters`: of the stamped request. */
export function sentenceOf(type: string, parameters: Json, nameOf: NameOf): string {
  return visible(plainSentence(type, parameters, nameOf))
}

function plainSentence(type: string, parameters: Json, nameOf: NameOf): string {
  const name = (member: string) => named(parameters[member], nameOf)
  const listed = (member: string) =>
    list((parameters[member] as unknown[] | undefined)?.map((id) => named(id, nameOf)) ?? [])
  switch (type.replace("ACTIVITY_TYPE_", "").replace(VERSION, "")) {
    case "SIGN_RAW_PAYLOAD":
      return `Sign ${payloadKind(parameters)} with ${name("signWith")}`
    case "SIGN_RAW_PAYLOADS":
      return `Sign ${(parameters["payloads"] as unknown[] | undefined)?.length ?? 0} payloads with ${name("signWith")}`
    case "SIGN_TRANSACTION":
      return `Sign ${chainOf(String(parameters["type"]))} transaction with ${name("signWith")}`
    case "ETH_SEND_TRANSACTION":
      return `Send ${text(parameters["value"]) || "0"} wei on ${text(parameters["caip2"])} from ${name("from")} to ${text(parameters["to"])}`
    case "CREATE_WALLET":
      return `Create wallet “${String(parameters["walletName"])}”`
    case "CREATE_WALLET_ACCOUNTS":
      return `Derive ${(parameters["accounts"] as unknown[] | undefined)?.length ?? 0} accounts of wallet ${name("walletId")}`
    case "EXPORT_WALLET":
      return `Export the mnemonic of wallet ${name("walletId")}`
    case "DELETE_WALLETS":
      return `Delete wallet ${listed("walletIds")}`
    case "CREATE_USERS":
      return `Create user ${list(((parameters["users"] as Json[] | undefined) ?? []).map((user) => `“${String(user["userName"])}”`))}`
    case "DELETE_USERS":
      return `Delete user ${listed("userIds")}`
    case "CREATE_POLICY":
      return `Create policy “${String(parameters["policyName"])}”, which ${effectOf(parameters["effect"])}`
    case "UPDATE_POLICY":
      return `Change policy ${name("policyId")}`
    case "DELETE_POLICY":
      return `Delete policy ${name("policyId")}`
    case "UPDATE_ROOT_QUORUM":
      return `Make the root quorum ${String(parameters["threshold"])} of ${listed("userIds")}`
    case "SET_ORGANIZATION_FEATURE":
      return `Set ${String(parameters["name"])}${(parameters["value"] ?? "") === "" ? "" : ` to ${text(parameters["value"])}`}`
    case "REMOVE_ORGANIZATION_FEATURE":
      return `Remove ${String(parameters["name"])}`
    case "CREATE_SUB_ORGANIZATION":
      return `Create sub-organization “${String(parameters["subOrganizationName"])}”`
    case "CREATE_USER_TAG":
      return `Create tag “${String(parameters["userTagName"])}”`
    default:
      return titleOf(type)
  }
}

function effectOf(effect: unknown): string {
  return effect === "EFFECT_DENY" ? "denies" : "allows"
}

function list(items: readonly string[]): string {
  if (items.length < 2) return items.join("")
  if (items.length > 4) return `${items.slice(0, 3).join(", ")} and ${items.length - 3} more`
  return `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`
}

/** True if the signer signs bytes whose meaning nobody can see. */
export function isBareDigest({ hashFunction, encoding }: Json): boolean {
  // The signer computes the digest of typed data and authorizations itself.
  const isPlain = ["PAYLOAD_ENCODING_HEXADECIMAL", "PAYLOAD_ENCODING_TEXT_UTF8"].includes(String(encoding))
  return isPlain && hashFunction === "HASH_FUNCTION_NO_OP"
}

function payloadKind(parameters: Json): string {
  if (isBareDigest(parameters)) return "a bare digest"
  switch (parameters["encoding"]) {
    case "PAYLOAD_ENCODING_TEXT_UTF8":
      return "a message"
    case "PAYLOAD_ENCODING_EIP712":
      return "typed data"
    case "PAYLOAD_ENCODING_EIP7702_AUTHORIZATION":
      return "an authorization (EIP-7702)"
    default:
      return "a payload"
  }
}

const CHAINS: { readonly [type: string]: string } = {
  TRANSACTION_TYPE_ETHEREUM: "an Ethereum",
  TRANSACTION_TYPE_SOLANA: "a Solana",
  TRANSACTION_TYPE_TRON: "a Tron",
  TRANSACTION_TYPE_BITCOIN: "a Bitcoin",
  TRANSACTION_TYPE_TEMPO: "a Tempo",
}

const chainOf = (type: string): string => CHAINS[type] ?? "a"

export type Tone = "good" | "warn" | "bad" | ""

const STATUSES: { readonly [status: string]: readonly [word: string, tone: Tone] } = {
  ACTIVITY_STATUS_CREATED: ["Created", ""],
  ACTIVITY_STATUS_PENDING: ["Pending", ""],
  ACTIVITY_STATUS_COMPLETED: ["Completed", "good"],
  ACTIVITY_STATUS_FAILED: ["Refused", "bad"],
  ACTIVITY_STATUS_CONSENSUS_NEEDED: ["Waits for approval", "warn"],
  ACTIVITY_STATUS_REJECTED: ["Rejected", "bad"],
  ACTIVITY_STATUS_AUTHENTICATORS_NEEDED: ["Waits for a factor", "warn"],
}

export function statusOf(status: string): readonly [word: string, tone: Tone] {
  return STATUSES[status] ?? [status, ""]
}

/** Statuses in which an activity waits for somebody. */
export const WAITING = ["ACTIVITY_STATUS_CONSENSUS_NEEDED", "ACTIVITY_STATUS_AUTHENTICATORS_NEEDED"]
export const ALL_STATUSES = Object.keys(STATUSES)
