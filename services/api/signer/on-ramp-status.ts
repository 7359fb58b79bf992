import { fromBinary } from "@bufbuild/protobuf"
import {
  type FetchStatement,
  FetchStatementSchema,
} from "../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { type OnRampStatus, readOnRampStatus } from "../../../signer/core/on-ramp/status.ts"
import { readRefused } from "../../../signer/core/fetch-orders/statement.ts"
import { unavailable } from "../errors.ts"
import type { FetcherClient } from "./fetcher.ts"
import type { Signer } from "./signer.ts"

export type OnRampStatusDeps = {
  signer: Pick<Signer, "orderOnRampStatus">
  fetcher: Pick<FetcherClient, "fetch">
  /** Documents as the database has them. */
  organizations: { refresh(organizationId: string): Promise<{ notarized: Uint8Array } | undefined> }
}

/** Most rounds of documents that the signer asks for: the organization's, then its parent's. */
const MAX_ROUNDS = 3

/**
 * Asks the provider for the status of a recorded purchase: the signer orders it, and the fetcher carries the order out.
 *
 * @param record serialized Record of the purchase
 * @throws Refusal of signer or fetcher; ApiError 503
 */
export async function askOnRampStatus(
  record: Uint8Array,
  { signer, fetcher, organizations }: OnRampStatusDeps,
): Promise<OnRampStatus> {
  const documents: Uint8Array[] = []
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const { order, documents: needed } = await signer.orderOnRampStatus(record, documents)
    if (order !== undefined) {
      const { statement } = await fetcher.fetch(order, "")
      return statusIn(statement?.statement ?? new Uint8Array(0))
    }
    const found = await Promise.all(needed.map(({ organizationId }) => organizations.refresh(organizationId)))
    documents.push(...found.flatMap((organization) => organization?.notarized ?? []))
  }
  throw unavailable("the service could not load the documents that the signer needs; try again")
}

function statusIn(statement: Uint8Array): OnRampStatus {
  const { finding } = readStatement(statement)
  const refusal = finding.case === "refused" ? readRefused("onRampStatus", finding.value) : undefined
  if (refusal !== undefined) throw refusal
  const status = finding.case === "onRampStatus" ? readOnRampStatus(finding.value.status) : undefined
  if (status === undefined) throw unavailable("the fetcher's statement has no status; try again")
  return status
}

function readStatement(statement: Uint8Array): FetchStatement {
  try {
    return fromBinary(FetchStatementSchema, statement)
  } catch (cause) {
    throw unavailable("the fetcher's statement cannot be read; try again", cause)
  }
}
