import {
  type ListPrivateKeysRequest,
  ListPrivateKeysResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { jsonText } from "../resources/json-text.ts"
import { listPrivateKeyResources } from "../resources/private-key.ts"
import type { Query } from "./shared/query.ts"

/** All private keys, oldest first. */
export const listPrivateKeys: Query<ListPrivateKeysRequest> = async (_request, { sql, organization }) =>
  jsonText(ListPrivateKeysResponseSchema, { privateKeys: await listPrivateKeyResources(sql, organization) })
