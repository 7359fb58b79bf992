import { readJsonObject } from "../../../../proto/strict-json.ts"
import { ethereumAddressBytes } from "../../address/ethereum.ts"
import { isSolanaAddress } from "../../contract-interface/index.ts"
import { refuse } from "../../refusal.ts"

/** An account whose balances a subscription follows. `caip2`: the chain as the caller spelled it. */
export type WatchedAccount = { readonly caip2: string; readonly address: string }

/** Addresses of one subscription. A text of filters has at most 4,096 characters. */
const MAX_ADDRESSES = 50

/** CAIP-10 account ids: a CAIP-2 chain id, a colon and an address. */
const ACCOUNT = /^(([-a-z0-9]{3,8}):[-_a-zA-Z0-9]{1,32}):([-.%a-zA-Z0-9]{1,128})$/

const HOW =
  'write {"addresses":["eip155:1:0x…"]}: CAIP-10 account ids of eip155 or solana, 1 to 50, each once'

/**
 * The accounts of a subscription to balances, from its filter: `{"addresses":[…]}` with no other member.
 * @throws WEBHOOK_FILTER_INVALID, WEBHOOK_EVENT_NOT_SERVED
 */
export function readBalanceFilter(filtersJson: string, field: string): WatchedAccount[] {
  const texts = addressesOf(filtersJson, field)
  const isList = texts !== undefined && texts.length > 0 && texts.length <= MAX_ADDRESSES
  // In another case an Ethereum address is the same one, of which each change would be told twice.
  const accounts = new Set(texts?.map((text) => (text.startsWith("eip155:") ? text.toLowerCase() : text)))
  if (!isList || accounts.size < texts.length) throw refuse("WEBHOOK_FILTER_INVALID", HOW, { field })
  return texts.map((text) => readAccount(text, field))
}

/** Strict JSON: of a member that stands twice, approvers would see both and the signer take one. */
function addressesOf(filtersJson: string, field: string): readonly string[] | undefined {
  const fault = () => refuse("WEBHOOK_FILTER_INVALID", HOW, { field })
  const json = readJsonObject(Buffer.from(filtersJson), fault, { maxDepth: 2 })
  const { addresses } = json
  if (Object.keys(json).join() !== "addresses" || !Array.isArray(addresses)) return undefined
  return addresses.every((one): one is string => typeof one === "string") ? addresses : undefined
}

function readAccount(text: string, field: string): WatchedAccount {
  const [, caip2 = "", family = "", address = ""] = ACCOUNT.exec(text) ?? []
  if (family !== "" && family !== "eip155" && family !== "solana") {
    const sentence = `balances of ${caip2} are not followed by this service; name addresses of eip155 or solana`
    throw refuse("WEBHOOK_EVENT_NOT_SERVED", sentence, { field })
  }
  const isAddress =
    family === "solana"
      ? isSolanaAddress(address)
      : /^eip155:[1-9]\d*$/.test(caip2) && ethereumAddressBytes(address) !== undefined
  if (!isAddress) throw refuse("WEBHOOK_FILTER_INVALID", `"${text}" is no account; ${HOW}`, { field })
  return { caip2, address }
}
