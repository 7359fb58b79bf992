import { readJsonObject } from "../../../../proto/strict-json.ts"
import { canonicalChain } from "../../address/chain.ts"
import { ethereumAddressBytes } from "../../address/ethereum.ts"
import { isSolanaAddress } from "../../address/solana.ts"
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
  if (!isList) throw refuse("WEBHOOK_FILTER_INVALID", HOW, { field })
  return texts.map((text) => readAccount(text, field))
}

/**
 * The same of a new subscription, which names each account once. One that is stored already may name an account twice.
 * @throws WEBHOOK_FILTER_INVALID, WEBHOOK_EVENT_NOT_SERVED
 */
export function readNewBalanceFilter(filtersJson: string, field: string): WatchedAccount[] {
  const accounts = readBalanceFilter(filtersJson, field)
  const identities = accounts.map(identityOf)
  const again = identities.findIndex((one, index) => identities.indexOf(one) < index)
  if (again === -1) return accounts
  const named = accounts.filter((_, index) => identities[index] === identities[again]).slice(0, 2)
  const sentence = `${named.map(({ caip2, address }) => `"${caip2}:${address}"`).join(" and ")} are one account; ${HOW}`
  throw refuse("WEBHOOK_FILTER_INVALID", sentence, { field })
}

/** An account in its one spelling: each change of one that stands twice would be told twice. */
function identityOf({ caip2, address }: WatchedAccount): string {
  const chain = canonicalChain(caip2)
  return `${chain}:${chain.startsWith("eip155:") ? address.toLowerCase() : address}`
}

/** Strict JSON: of a member that stands twice, approvers would see both and the signer take one. */
function addressesOf(filtersJson: string, field: string): readonly string[] | undefined {
  const fault = () => refuse("WEBHOOK_FILTER_INVALID", HOW, { field })
  const json = readJsonObject(Buffer.from(filtersJson), fault)
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
      : /:[1-9]\d*$/.test(caip2) && ethereumAddressBytes(address) !== undefined
  if (!isAddress) throw refuse("WEBHOOK_FILTER_INVALID", `"${text}" is no account; ${HOW}`, { field })
  return { caip2, address }
}
