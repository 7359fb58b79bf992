// Settings of transactions, as the operator writes them.
import { wholeNumber } from "../../../../core/settings/settings.ts"
import {
  DEFAULT_DAY_CAP,
  readByteFees,
  readFeeCaps,
  readGasStations,
  readUsdPrices,
  sendSettings,
  usdCap,
} from "./send-settings.ts"

/** A day: a sponsored call that is withheld so long is no surprise. */
const MAX_DEADLINE_SECONDS = 86_400

export const shape = {
  BYTE_FEES: readByteFees,
  FEE_CAPS: readFeeCaps,
  GAS_STATIONS: readGasStations,
  MAX_DEADLINE_SECONDS: wholeNumber(3600, 1, MAX_DEADLINE_SECONDS),
  NATIVE_PRICES_USD: readUsdPrices,
  SPONSORED_USD_A_DAY: usdCap(DEFAULT_DAY_CAP),
  SPONSORED_USD_A_DAY_SUB_ORGANIZATION: usdCap(undefined),
}

type Values = { readonly [Name in keyof typeof shape]: ReturnType<(typeof shape)[Name]> }

export const settings = {
  /** Fee caps, pinned contracts and prices of sends. */
  sends: (values: Values) =>
    sendSettings({
      feeCaps: values.FEE_CAPS,
      gasStations: values.GAS_STATIONS,
      usdPrices: values.NATIVE_PRICES_USD,
      byteFees: values.BYTE_FEES,
      topLevelCap: values.SPONSORED_USD_A_DAY,
      subOrganizationCap: values.SPONSORED_USD_A_DAY_SUB_ORGANIZATION,
      maxDeadlineSeconds: values.MAX_DEADLINE_SECONDS,
    }),
}
