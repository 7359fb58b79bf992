import { create } from "@bufbuild/protobuf"
import {
  type GasUsageConfig,
  GasUsageConfigSchema,
} from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { refuse } from "../../../core/refusal.ts"
import type { Draft } from "../../organization/draft.ts"

type Limits = Pick<GasUsageConfig, "orgLimitMicroUsd" | "subOrgLimitMicroUsd" | "windowMinutes">

/**
 * Sets the limits of sponsorship; returns the id of the configuration, which stays the same.
 * @param enabled undefined: as before, true at first
 * @throws ACTIVITY_CALLER_INVALID
 */
export function setGasUsageConfig(
  draft: Draft,
  limits: Limits,
  enabled: boolean | undefined,
  newId: () => string,
): string {
  const { document } = draft
  if (document.parentId !== "") {
    const sentence =
      "only a top-level organization has limits of sponsorship, for itself and its sub-organizations"
    throw refuse("ACTIVITY_CALLER_INVALID", sentence)
  }
  const before = document.gasUsageConfig
  const config = create(GasUsageConfigSchema, {
    ...limits,
    gasUsageConfigId: before?.gasUsageConfigId ?? newId(),
    enabled: enabled ?? before?.enabled ?? true,
  })
  document.gasUsageConfig = config
  draft.markChanged()
  return config.gasUsageConfigId
}
