import { STATIONS } from "./gas-station.ts"

/** Settings of a signer that sponsors sends on Base: a token costs 2,000 dollars, and fees are bounded high. */
export const SPONSORING = {
  ...STATIONS,
  COUNTERSIGN_SIGNER_FEE_CAPS: "eip155:8453=5000/10",
  COUNTERSIGN_SIGNER_NATIVE_PRICES_USD: "eip155:8453=2000",
} as const

/** Limits that `upsert_gas_usage_config` sets. */
export const limits = (org: string, sub = org, minutes = "60", more: object = {}) => {
  return { orgWindowLimitUsd: org, subOrgWindowLimitUsd: sub, windowDurationMinutes: minutes, ...more }
}
