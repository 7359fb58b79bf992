import type { GasStation } from "./gas-station.ts"

/** Settings of sends, by chain (CAIP-2). The operator sets them; no request and no message of the API tier does. */
export type SendSettings = PlanSettings & SponsorSettings

/** Settings that bound a transaction. */
export type PlanSettings = {
  readonly feeCap: (caip2: string) => FeeCap
  /** Undefined: the operator pinned none, and nothing is sponsored or batched on the chain. */
  readonly gasStation: (caip2: string) => GasStation | undefined
  /** Greatest time from now to the deadline of a delegate's call. */
  readonly maxDeadlineSeconds: number
}

/** Settings that bound what the paymaster spends. */
type SponsorSettings = {
  /** Price of the chain's native token, millionths of a US dollar; undefined: the operator set none. */
  readonly microUsdPrice: (caip2: string) => bigint | undefined
  /** Fee of each byte of a transaction that a chain takes beside gas, wei; 0 on chains without one. */
  readonly byteFee: (caip2: string) => bigint
  readonly sponsorshipCaps: SponsorshipCaps
}

/** Caps on the costs of sponsored sends in 24 hours, millionths of a US dollar. */
export type SponsorshipCaps = {
  /** The cap of a top-level organization with all its sub-organizations. */
  readonly topLevel: bigint
  /** The cap of one sub-organization. */
  readonly subOrganization: bigint
}

/** Bounds on what one transaction may cost, in the chain's smallest unit. */
export type FeeCap = {
  /** For each unit of gas. */
  readonly perGas: bigint
  /** Fee of the transaction: gas limit times fee for each unit. */
  readonly total: bigint
}

/** Smallest units (wei) of one native token of an EVM chain. */
export const WEI_PER_TOKEN = 10n ** 18n
