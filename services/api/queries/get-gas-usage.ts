import {
  type GetGasUsageRequest,
  GetGasUsageResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { jsonText } from "../resources/json-text.ts"
import type { Query } from "./shared/query.ts"

/** The use of sponsorship comes from the signer's ledger: the database has the sent transactions, not the counted amounts. */
export const getGasUsage: Query<GetGasUsageRequest> = async (_request, { signer, organization }) => {
  const { windowDurationMinutes, windowLimitMicroUsd, usageMicroUsd } = await signer.readGasUsage(
    organization.id,
  )
  return jsonText(GetGasUsageResponseSchema, {
    windowDurationMinutes,
    windowLimitUsd: dollars(windowLimitMicroUsd),
    usageUsd: dollars(usageMicroUsd),
  })
}

const MICRO = 1_000_000n

/** Millionths of a US dollar as `12.5`. */
function dollars(micro: bigint): string {
  const part = String(micro % MICRO)
    .padStart(6, "0")
    .replace(/0+$/, "")
  return part === "" ? String(micro / MICRO) : `${micro / MICRO}.${part}`
}
