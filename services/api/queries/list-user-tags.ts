import { TagType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  type ListUserTagsRequest,
  ListUserTagsResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { jsonText } from "../resources/json-text.ts"
import { tagResource } from "../resources/organization.ts"
import type { Query } from "./shared/query.ts"

/** All tags of users, oldest first. */
export const listUserTags: Query<ListUserTagsRequest> = (_request, { organization }) => {
  const tags = organization.document.tags.filter(({ type }) => type === TagType.USER)
  return jsonText(ListUserTagsResponseSchema, { userTags: tags.map(tagResource) })
}
