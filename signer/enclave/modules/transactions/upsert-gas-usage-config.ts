import { refuse } from "../../../core/refusal.ts"
import { readUsd } from "../../../core/send/gas-usage.ts"
import { setGasUsageConfig } from "./gas-usage.ts"
import type { Activity } from "../../activities/activity.ts"

export const upsertGasUsageConfig: Activity<"upsertGasUsageConfig"> = {
  check({ solanaConfig }) {
    if (solanaConfig?.rentPrefundEnabled !== true) return
    const sentence =
      "rentPrefundEnabled has no effect: transactions of Solana are not sponsored; leave it out"
    throw refuse("SEND_VALUE_UNUSED", sentence, { field: "parameters.solanaConfig.rentPrefundEnabled" })
  },
  run({ orgWindowLimitUsd, subOrgWindowLimitUsd, windowDurationMinutes, enabled }, { organization, newId }) {
    const limits = {
      orgLimitMicroUsd: readUsd(orgWindowLimitUsd),
      subOrgLimitMicroUsd: readUsd(subOrgWindowLimitUsd),
      windowMinutes: Number(windowDurationMinutes),
    }
    return { gasUsageConfigId: setGasUsageConfig(organization, limits, enabled, newId) }
  },
}
