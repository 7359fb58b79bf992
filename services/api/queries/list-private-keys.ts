import {
  type ListPrivateKeysRequest,
  ListPrivateKeysResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { jsonText } from "../json-text.ts"
import { privateKeysOf } from "./private-keys.ts"
import type { Query } from "./query.ts"

/** All private keys, oldest first: the interface knows no pages of them. */
export const listPrivateKeys: Query<ListPrivateKeysRequest> = async (_request, { sql, organization }) =>
  jsonText(ListPrivateKeysResponseSchema, { privateKeys: await privateKeysOf(sql, organization) })
