import {
  type ListSecretsRequest,
  ListSecretsResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { RecordKind } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { jsonText } from "../resources/json-text.ts"
import { secretResource } from "../resources/secret.ts"
import { listRecords } from "../store/records.ts"
import { readPagination, requirePage } from "./shared/pagination.ts"
import type { Query } from "./shared/query.ts"

/** Pages of secrets without their contents, newest first. */
export const listSecrets: Query<ListSecretsRequest> = async (request, { sql, organization }) => {
  const page = readPagination(request.paginationOptions)
  const filter = { organizationId: organization.id, kind: RecordKind.SECRET }
  const rows = requirePage(await listRecords(sql, filter, page, "descending"))
  return jsonText(ListSecretsResponseSchema, { secrets: rows.map(secretResource) })
}
