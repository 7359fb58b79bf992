import {
  type GetOnrampTransactionStatusRequest,
  GetOnrampTransactionStatusResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { RecordKind } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { notFound } from "../errors.ts"
import { jsonText } from "../resources/json-text.ts"
import { beginRefresh, getOnRampStatus, storeOnRampStatus } from "../store/on-ramp-statuses.ts"
import { getRecord } from "../store/records.ts"
import type { Query } from "./shared/query.ts"

/** The stored status. With `refresh` the provider is asked, unless it has reported a final one or was asked a moment ago. */
export const getOnrampTransactionStatus: Query<GetOnrampTransactionStatusRequest> = async (
  { transactionId, refresh = false },
  { sql, organization, onRampStatus, nowMs },
) => {
  const row = await getRecord(sql, organization.id, RecordKind.ON_RAMP_TRANSACTION, transactionId)
  if (row === undefined)
    throw notFound(
      `unable to find fiat on-ramp transaction ${transactionId} in organization ${organization.id}`,
    )
  const isAsked = refresh && (await beginRefresh(sql, row, nowMs))
  const transactionStatus = isAsked
    ? await storeOnRampStatus(sql, row, await onRampStatus(row.bytes), nowMs)
    : ((await getOnRampStatus(sql, row)) ?? "PENDING")
  return jsonText(GetOnrampTransactionStatusResponseSchema, { transactionStatus })
}
