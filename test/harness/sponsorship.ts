import { STATIONS } from "./gas-station.ts"
import { FILL } from "./sends.ts"

/** Settings of a signer that sponsors sends on Base: a token costs 2,000 dollars, bytes cost nothing, and fees are bounded high. */
export const SPONSORING = {
  ...STATIONS,
  COUNTERSIGN_SIGNER_BYTE_FEES: "eip155:8453=0",
  COUNTERSIGN_SIGNER_FEE_CAPS: "eip155:8453=5000/10",
  COUNTERSIGN_SIGNER_NATIVE_PRICES_USD: "eip155:8453=2000",
} as const

/** Limits that `upsert_gas_usage_config` sets. */
export const limits = (org: string, sub = org, minutes = "60", more: object = {}) => {
  return { orgWindowLimitUsd: org, subOrgWindowLimitUsd: sub, windowDurationMinutes: minutes, ...more }
}

/** Values with which a send costs 100,000 gas at 1,000 gwei, 0.1 tokens: 200 dollars. */
export const COSTLY = { ...FILL, gasLimit: 100_000n, maxFeePerGas: 1_000_000_000_000n } as const
