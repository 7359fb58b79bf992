import { create, fromBinary, toBinary } from "@bufbuild/protobuf"
import type { GasUsageConfig } from "../../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { GasUsageSchema } from "../../../../../proto/gen/countersign/state/v1/gas_usage_pb.ts"
import type { Organization } from "../../../../core/organization/organization.ts"
import { refuse } from "../../../../core/refusal.ts"
import { type EthereumPlan, greatestLength } from "../../../../core/send/ethereum-plan.ts"
import {
  costInMicroUsd,
  DAY_MS,
  type UsageLimit,
  type UsagePart,
  usedMicroUsd,
  withCost,
} from "../../../../core/send/gas-usage.ts"
import type { SponsorshipCaps } from "../../../../core/send/settings.ts"
import type { IndexChange } from "../../../ledger/ledger.ts"
import type { ExecutionDeps } from "../../../execution/state/deps.ts"
import { indexShard } from "../../../execution/state/identity-register.ts"
import { usageDigest } from "../../../execution/state/ledger-keys.ts"

type Deps = Pick<ExecutionDeps, "ledger" | "keyring" | "sends">

/** Use of an organization in its window, millionths of a US dollar. */
export type GasUse = { readonly limit: bigint; readonly used: bigint; readonly windowMinutes: number }

const KIND = "gas-usage"

/**
 * Rows that count a sponsored send at its greatest cost: for the top-level organization with all its sub-organizations, and
 * for the sub-organization that sends. The transaction that stores the signature compares them with the root users' limits and
 * the operator's caps, so concurrent sends share them.
 * @param root the top-level organization
 * @throws SPONSORSHIP_DISABLED, SPONSORSHIP_UNPRICED; the ledger's commit throws SPONSORSHIP_LIMIT_EXCEEDED and
 *   SPONSORSHIP_CAP_EXCEEDED
 */
export function sponsorshipRows(
  plan: EthereumPlan,
  organizationId: string,
  root: Organization,
  nowMs: number,
  { keyring, sends, ledger }: Deps,
): IndexChange[] {
  const { send, maxCost } = plan
  const config = requireEnabled(root)
  const price = sends.microUsdPrice(send.caip2)
  if (price === undefined) {
    const sentence = `the operator has set no price of the native token of ${send.caip2}; it belongs in COUNTERSIGN_SIGNER_NATIVE_PRICES_USD`
    throw refuse("SPONSORSHIP_UNPRICED", sentence, { field: "parameters.caip2" })
  }
  const byteCost = sends.byteFee(send.caip2) * BigInt(greatestLength(plan))
  const cost = costInMicroUsd(maxCost + byteCost, price)
  return subjectsOf(organizationId, root.id).map((subject) => {
    const limits = [limitOf(config, subject, root.id), capOf(sends.sponsorshipCaps, subject, root.id)]
    const name = rowOf(subject, root.id, keyring)
    const next = (value: Uint8Array | undefined) => write(withCost(read(value), cost, limits, BigInt(nowMs)))
    // Refused before the key is used; the ledger decides.
    next(ledger.row(name.shard, KIND, name.key))
    return { shard: name.shard, update: [{ kind: KIND, key: name.key, next }] }
  })
}

/** The use of an organization in its present window; undefined: its top-level organization has no configuration. */
export function gasUseOf(
  organizationId: string,
  root: Organization,
  nowMs: number,
  { keyring, ledger }: Pick<Deps, "keyring" | "ledger">,
): GasUse | undefined {
  const config = root.document.gasUsageConfig
  if (config === undefined) return undefined
  const { shard, key } = rowOf(organizationId, root.id, keyring)
  const { microUsd: limit, windowMs } = limitOf(config, organizationId, root.id)
  const used = usedMicroUsd(read(ledger.row(shard, KIND, key)), windowMs, BigInt(nowMs))
  return { limit, used, windowMinutes: config.windowMinutes }
}

function requireEnabled({ id, document }: Organization): GasUsageConfig {
  const config = document.gasUsageConfig
  if (config?.enabled === true) return config
  const why = config === undefined ? "has set no limits of sponsorship" : "has disabled sponsorship"
  const sentence = `organization ${id} ${why}: its root users set them with upsert_gas_usage_config`
  throw refuse("SPONSORSHIP_DISABLED", sentence, { field: "parameters.sponsor" })
}

function subjectsOf(organizationId: string, rootId: string): string[] {
  return organizationId === rootId ? [rootId] : [rootId, organizationId]
}

function limitOf(config: GasUsageConfig, subject: string, rootId: string): UsageLimit {
  const windowMs = BigInt(config.windowMinutes) * 60_000n
  const code = "SPONSORSHIP_LIMIT_EXCEEDED"
  return subject === rootId
    ? {
        microUsd: config.orgLimitMicroUsd,
        windowMs,
        whose: "the organization with its sub-organizations",
        code,
      }
    : { microUsd: config.subOrgLimitMicroUsd, windowMs, whose: "the sub-organization", code }
}

function capOf({ topLevel, subOrganization }: SponsorshipCaps, subject: string, rootId: string): UsageLimit {
  const [code, windowMs] = ["SPONSORSHIP_CAP_EXCEEDED", DAY_MS] as const
  return subject === rootId
    ? {
        microUsd: topLevel,
        windowMs,
        whose: `the operator's daily cap of organization ${rootId} with its sub-organizations`,
        code,
      }
    : {
        microUsd: subOrganization,
        windowMs,
        whose: `the operator's daily cap of sub-organization ${subject}`,
        code,
      }
}

function rowOf(subject: string, rootId: string, keyring: Deps["keyring"]) {
  return { shard: indexShard(rootId, usageDigest(keyring, subject)), key: subject }
}

function read(value: Uint8Array | undefined): readonly UsagePart[] {
  return value === undefined ? [] : fromBinary(GasUsageSchema, value).parts
}

function write(parts: readonly UsagePart[]): Uint8Array {
  return toBinary(GasUsageSchema, create(GasUsageSchema, { parts: [...parts] }))
}
