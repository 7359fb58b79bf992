import { TagType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  type ListPrivateKeyTagsRequest,
  ListPrivateKeyTagsResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { jsonText } from "../resources/json-text.ts"
import { tagResource } from "../resources/organization.ts"
import type { Query } from "./shared/query.ts"

/** All tags of private keys, oldest first. */
export const listPrivateKeyTags: Query<ListPrivateKeyTagsRequest> = (_request, { organization }) =>
  jsonText(ListPrivateKeyTagsResponseSchema, {
    privateKeyTags: organization.document.tags
      .filter(({ type }) => type === TagType.PRIVATE_KEY)
      .map(tagResource),
  })
