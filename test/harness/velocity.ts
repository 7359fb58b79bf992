import type { definitions } from "../../node_modules/@turnkey/http/dist/__generated__/services/coordinator/public/v1/public_api.types.d.ts"

/** Parameters of create_velocity_control, as published clients type them. */
export type VelocityIntent = definitions["v1CreateVelocityControlIntent"]
type Aggregation = definitions["v1VelocityControlAggregation"]

export const NATIVE_OF_ETHEREUM = { caip19: "eip155:1/slip44:60", decimals: "18" }

/** Signatures of one day, at most three. */
export function velocityControl(changes: Partial<VelocityIntent> = {}): VelocityIntent {
  return {
    name: "Signatures of a day",
    identifier: "signatures",
    dataSource: {
      activityExecution: { filter: { activity: [{ activityType: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2" }] } },
    },
    aggregation: aggregation({ method: "VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT", threshold: "3" }),
    ...changes,
  }
}

/** At most so much in a day, in one bucket. */
export function aggregation(changes: Partial<Aggregation> = {}): Aggregation {
  return {
    method: "VELOCITY_CONTROL_AGGREGATION_METHOD_SUM",
    operator: "VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN_OR_EQUAL",
    threshold: "1.5",
    window: { rolling: { duration: "86400" } },
    groupBy: { organization: {} },
    ...changes,
  }
}

/** Transfers of assets, at most 1.5 of them in a day. */
export function transfers(
  definition: readonly { caip19: string; decimals: string }[] = [NATIVE_OF_ETHEREUM],
  changes: Partial<VelocityIntent> = {},
): VelocityIntent {
  return velocityControl({
    name: "Transfers of a day",
    identifier: "spent",
    dataSource: { chainAssetTransfer: { definition: [...definition], phase: { signature: {} } } },
    aggregation: aggregation(),
    ...changes,
  })
}
