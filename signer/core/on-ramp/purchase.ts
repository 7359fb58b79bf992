import {
  FiatOnRampCryptoCurrency as Asset,
  FiatOnRampBlockchainNetwork as Network,
  FiatOnRampBlockchainNetworkSchema as NetworkSchema,
  FiatOnRampCryptoCurrencySchema as AssetSchema,
  FiatOnRampPaymentMethod as Method,
  FiatOnRampPaymentMethodSchema as MethodSchema,
  FiatOnRampProvider as Provider,
} from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { InitFiatOnRampIntent } from "../../../proto/gen/countersign/api/v1/intents/on_ramp_pb.ts"
import { refuse } from "../refusal.ts"
import { enumName } from "./enum-name.ts"
import { isAddressOf } from "./wallet-address.ts"

type Parameters = Omit<InitFiatOnRampIntent, "$typeName" | "$unknown">

/**
 * Refuses a purchase that no provider can make, whatever credential is stored.
 *
 * @throws REQUEST_INVALID, ON_RAMP_ASSET_UNSUPPORTED, ON_RAMP_ADDRESS_INVALID, ON_RAMP_PAYMENT_METHOD_UNSUPPORTED,
 *   ON_RAMP_URL_NOT_ALLOWED
 */
export function requirePurchase(parameters: Parameters): void {
  requireAsset(parameters)
  requireAddress(parameters)
  requirePaymentMethod(parameters)
  requireAmount(parameters)
  requireCountry(parameters)
  if (parameters.urlForSignature === undefined || parameters.onrampProvider === Provider.MOONPAY) return
  throw refuse(
    "ON_RAMP_URL_NOT_ALLOWED",
    "parameters.urlForSignature: only addresses of MoonPay are signed",
    {
      field: "parameters.urlForSignature",
    },
  )
}

const NETWORKS: ReadonlyMap<Asset, readonly Network[]> = new Map([
  [Asset.BTC, [Network.BITCOIN]],
  [Asset.ETH, [Network.ETHEREUM, Network.BASE]],
  [Asset.SOL, [Network.SOLANA]],
  [Asset.USDC, [Network.ETHEREUM, Network.SOLANA, Network.BASE]],
])

function requireAsset({ cryptoCurrencyCode, network }: Parameters): void {
  const networks = NETWORKS.get(cryptoCurrencyCode) ?? []
  if (networks.includes(network)) return
  const asset = enumName(AssetSchema, cryptoCurrencyCode)
  const sold = networks.map((one) => enumName(NetworkSchema, one)).join(", ")
  const sentence = `parameters.cryptoCurrencyCode: ${asset} is sold on ${sold}, not on ${enumName(NetworkSchema, network)}`
  throw refuse("ON_RAMP_ASSET_UNSUPPORTED", sentence, { field: "parameters.cryptoCurrencyCode" })
}

function requireAddress({ walletAddress, network, sandboxMode = false }: Parameters): void {
  if (isAddressOf(network, walletAddress, sandboxMode)) return
  const sentence = `parameters.walletAddress: ${walletAddress} is no address of ${enumName(NetworkSchema, network)}`
  throw refuse("ON_RAMP_ADDRESS_INVALID", sentence, { field: "parameters.walletAddress" })
}

const BOTH: readonly Method[] = [Method.CREDIT_DEBIT_CARD, Method.APPLE_PAY]
const COINBASE: readonly Method[] = [Method.CRYPTO_ACCOUNT, Method.FIAT_WALLET, Method.ACH_BANK_ACCOUNT]

function requirePaymentMethod({ paymentMethod, onrampProvider }: Parameters): void {
  if (paymentMethod === undefined || BOTH.includes(paymentMethod)) return
  const isCoinbase = onrampProvider === Provider.COINBASE
  if (COINBASE.includes(paymentMethod) === isCoinbase) return
  const name = isCoinbase ? "Coinbase" : "MoonPay"
  const sentence = `parameters.paymentMethod: ${name} does not offer ${enumName(MethodSchema, paymentMethod)}`
  throw refuse("ON_RAMP_PAYMENT_METHOD_UNSUPPORTED", sentence, { field: "parameters.paymentMethod" })
}

/** A decimal above 0, as docs/choices C-80 says. */
const AMOUNT = /^(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/

function requireAmount({ fiatCurrencyAmount: amount }: Parameters): void {
  if (amount === undefined || (AMOUNT.test(amount) && /[1-9]/.test(amount))) return
  throw invalid("fiatCurrencyAmount", `"${amount}" is no positive decimal; write 100 or 99.50`)
}

function requireCountry({ countryCode, countrySubdivisionCode: subdivision }: Parameters): void {
  if (countryCode !== undefined && !/^[A-Z]{2}$/.test(countryCode))
    throw invalid("countryCode", `"${countryCode}" is no code of ISO 3166-1 alpha-2; write US or GB`)
  if (subdivision !== undefined && !/^[A-Z0-9]{1,3}$/.test(subdivision))
    throw invalid(
      "countrySubdivisionCode",
      `"${subdivision}" is no code of ISO 3166-2 without its country; write NY`,
    )
  if (countryCode === "US" && subdivision === undefined)
    throw invalid("countrySubdivisionCode", "needed where countryCode is US; write NY for New York")
}

function invalid(member: string, sentence: string) {
  return refuse("REQUEST_INVALID", `parameters.${member}: ${sentence}`, { field: `parameters.${member}` })
}
