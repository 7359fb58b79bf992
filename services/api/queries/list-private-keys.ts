import type { ListPrivateKeysRequest } from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { PrivateKeySchema } from "../../../proto/gen/countersign/api/v1/resources_pb.ts"
import { RecordKind } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { jsonText } from "../resources/json-text.ts"
import { privateKeyResource, tagIdsByKey } from "../resources/private-key.ts"
import { listAllRecords, type RecordRow } from "../store/records.ts"
import type { Query } from "./shared/query.ts"
import { textInSlices } from "./shared/text-in-slices.ts"

/** All private keys, oldest first. */
export const listPrivateKeys: Query<ListPrivateKeysRequest> = async (_request, context) => {
  const { sql, organization } = context
  const rows = await listAllRecords(sql, organization.id, RecordKind.PRIVATE_KEY)
  const tags = tagIdsByKey(organization)
  const textOf = (row: RecordRow) => jsonText(PrivateKeySchema, privateKeyResource(row, tags))
  return `{"privateKeys":[${await textInSlices(rows, textOf, context)}]}`
}
