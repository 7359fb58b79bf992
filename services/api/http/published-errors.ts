import type { IncomingHttpHeaders } from "node:http"
import type { ErrorBody } from "../../common/api-error.ts"
import { DENIED_TRANSACTION } from "../errors.ts"
import { isPublishedClient } from "../resources/published-client.ts"

/**
 * The error body as the caller expects it. Published signers print the details of an error behind its text. Their tests
 * expect an empty list for a transaction that a DENY applies to. The activity that stores the denial has all details.
 */
export function bodyFor(body: ErrorBody, headers: IncomingHttpHeaders): ErrorBody {
  const isBare = body.message === DENIED_TRANSACTION.explicitly && isPublishedClient(headers)
  return isBare ? { ...body, details: [] } : body
}
