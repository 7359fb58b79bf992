// MoonPay's widget: https://dev.moonpay.com/docs/ramps-sdk-buy-params and https://dev.moonpay.com/docs/ramps-sdk-url-signing
import {
  FiatOnRampCryptoCurrency as Asset,
  FiatOnRampBlockchainNetwork as Network,
  FiatOnRampCryptoCurrencySchema as AssetSchema,
  FiatOnRampCurrencySchema as CurrencySchema,
  FiatOnRampPaymentMethodSchema as MethodSchema,
} from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { OnRampPurchaseTask } from "../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { refuse } from "../refusal.ts"
import { enumName } from "./enum-name.ts"
import { queryOf } from "./query.ts"

/** A purchase: the task of an order without its kind. */
export type Purchase = Omit<OnRampPurchaseTask, "$typeName" | "$unknown">

const LIVE_HOST = "buy.moonpay.com"
const SANDBOX_HOST = "buy-sandbox.moonpay.com"

/** The widget's query for a purchase, from its `?` on: the text that is signed. */
export function moonPayQuery(purchase: Purchase): string {
  const { keys, transactionId, walletAddress, fiatCurrency, fiatAmount, paymentMethod } = purchase
  return queryOf([
    ["apiKey", keys?.publishableApiKey ?? ""],
    ["currencyCode", currencyCode(purchase)],
    ["walletAddress", walletAddress],
    ["baseCurrencyCode", enumName(CurrencySchema, fiatCurrency).toLowerCase()],
    ["baseCurrencyAmount", fiatAmount],
    ["paymentMethod", enumName(MethodSchema, paymentMethod).toLowerCase()],
    ["externalTransactionId", transactionId],
  ])
}

/** The widget's address for a purchase, signed. `signature`: HMAC-SHA256 over its query, 32 bytes. */
export function moonPayUrl(purchase: Purchase, signature: Uint8Array): string {
  const signed = encodeURIComponent(Buffer.from(signature).toString("base64"))
  return `https://${hostOf(purchase)}/${moonPayQuery(purchase)}&signature=${signed}`
}

/** Parameters of the widget that published SDKs set. `walletAddresses` and `signature` are not among them. */
const KNOWN: ReadonlySet<string> = new Set([
  "apiKey",
  "baseCurrencyAmount",
  "baseCurrencyCode",
  "colorCode",
  "currencyCode",
  "defaultCurrencyCode",
  "email",
  "externalCustomerId",
  "externalTransactionId",
  "language",
  "lockAmount",
  "paymentMethod",
  "quoteCurrencyAmount",
  "redirectURL",
  "showAllCurrencies",
  "showOnlyCurrencies",
  "showWalletAddressForm",
  "skipUnsupportedRegionScreen",
  "theme",
  "themeId",
  "unsupportedRegionRedirectUrl",
  "walletAddress",
])

/**
 * The query of an address that a caller wants signed, from its `?` on. Only an address of the widget for this purchase is
 * signed: otherwise the signature would serve any text. Both processes check it, the signer before it orders.
 *
 * @throws ON_RAMP_URL_NOT_ALLOWED
 */
export function widgetQuery(text: string, purchase: Purchase): string {
  const origin = `https://${hostOf(purchase)}`
  const query = text.slice(text.indexOf("?"))
  if (text !== `${origin}${query}` && text !== `${origin}/${query}`)
    throw notAllowed(`must begin with ${origin}/? and have no other path`)
  // The signed bytes must be the bytes that were checked.
  if (!URL.canParse(text) || new URL(text).search !== query || new URL(text).hash !== "")
    throw notAllowed("must have its values percent-encoded, and no fragment")
  const parameters = new URLSearchParams(query)
  const names = [...parameters.keys()]
  const odd = names.find((name, index) => !KNOWN.has(name) || names.indexOf(name) !== index)
  if (odd !== undefined) throw notAllowed(`must not have the parameter ${odd}, or only once`)
  requireSame(parameters, "apiKey", purchase.keys?.publishableApiKey ?? "")
  requireSame(parameters, "walletAddress", purchase.walletAddress)
  if (parameters.has("currencyCode")) requireSame(parameters, "currencyCode", currencyCode(purchase))
  return query
}

function requireSame(parameters: URLSearchParams, name: string, expected: string): void {
  if (parameters.get(name) !== expected) throw notAllowed(`must have the parameter ${name}=${expected}`)
}

function notAllowed(why: string) {
  const sentence = `parameters.urlForSignature ${why}`
  return refuse("ON_RAMP_URL_NOT_ALLOWED", sentence, { field: "parameters.urlForSignature" })
}

function hostOf({ keys }: Purchase): string {
  return keys?.sandbox ? SANDBOX_HOST : LIVE_HOST
}

/** MoonPay's code of an asset: its own network has none. */
function currencyCode({ cryptoCurrency, network }: Purchase): string {
  const asset = enumName(AssetSchema, cryptoCurrency).toLowerCase()
  if (network === Network.BASE) return `${asset}_base`
  return network === Network.SOLANA && cryptoCurrency === Asset.USDC ? "usdc_sol" : asset
}
