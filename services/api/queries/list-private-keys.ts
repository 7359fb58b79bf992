import type { ListPrivateKeysRequest } from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { PrivateKeySchema } from "../../../proto/gen/countersign/api/v1/resources_pb.ts"
import { RecordKind } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { jsonText } from "../resources/json-text.ts"
import { privateKeyResource, tagIdsByKey } from "../resources/private-key.ts"
import type { RecordRow } from "../store/records.ts"
import { AnswerSize } from "./shared/answer-size.ts"
import type { Query } from "./shared/query.ts"
import { recordsText } from "./shared/records-text.ts"

/** All private keys, oldest first. */
export const listPrivateKeys: Query<ListPrivateKeysRequest> = async (_request, context) => {
  const tags = tagIdsByKey(context.organization)
  const textOf = (row: RecordRow) => jsonText(PrivateKeySchema, privateKeyResource(row, tags))
  const size = new AnswerSize("get_private_key with the id of one key")
  return `{"privateKeys":[${await recordsText(RecordKind.PRIVATE_KEY, textOf, context, size)}]}`
}
