// Coinbase Onramp: https://docs.cdp.coinbase.com/onramp/coinbase-hosted-onramp/generating-onramp-url
import {
  FiatOnRampBlockchainNetworkSchema as NetworkSchema,
  FiatOnRampCryptoCurrencySchema as AssetSchema,
  FiatOnRampCurrencySchema as CurrencySchema,
  FiatOnRampPaymentMethod as Method,
  FiatOnRampPaymentMethodSchema as MethodSchema,
} from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { enumName } from "./enum-name.ts"
import type { Purchase } from "./moonpay.ts"
import { queryOf } from "./query.ts"

/** Currencies for which Coinbase takes an amount; with others the buyer enters it. */
const PRESET: ReadonlySet<string> = new Set(["USD", "CAD", "GBP", "EUR"])

/** Session tokens: visible ASCII, so that nothing else enters an address. */
const SESSION_TOKEN = /^[\x21-\x7e]{1,2048}$/

export function isSessionToken(text: string): boolean {
  return SESSION_TOKEN.test(text)
}

/** Coinbase's name of a purchase's network. */
export function coinbaseNetwork({ network }: Purchase): string {
  return enumName(NetworkSchema, network).toLowerCase()
}

/** Coinbase's name of a purchase's asset. */
export function coinbaseAsset({ cryptoCurrency }: Purchase): string {
  return enumName(AssetSchema, cryptoCurrency)
}

/** The address for a purchase whose session is open. The token holds asset and wallet address; the rest are presets. */
export function coinbaseUrl(purchase: Purchase, sessionToken: string): string {
  const { keys, fiatAmount, fiatCurrency, paymentMethod, transactionId } = purchase
  const currency = enumName(CurrencySchema, fiatCurrency)
  const query = queryOf([
    ["sessionToken", sessionToken],
    ["defaultNetwork", coinbaseNetwork(purchase)],
    ["defaultAsset", coinbaseAsset(purchase)],
    ["presetFiatAmount", PRESET.has(currency) ? fiatAmount : ""],
    ["fiatCurrency", currency],
    ["defaultPaymentMethod", methodOf(paymentMethod)],
    ["defaultExperience", "buy"],
    ["partnerUserRef", transactionId],
  ])
  const host = keys?.sandbox ? "pay-sandbox.coinbase.com" : "pay.coinbase.com"
  return `https://${host}/buy/select-asset${query}`
}

function methodOf(method: Method): string {
  return method === Method.CREDIT_DEBIT_CARD ? "CARD" : enumName(MethodSchema, method)
}
