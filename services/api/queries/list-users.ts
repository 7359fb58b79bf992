import { type ListUsersRequest, PageInfoSchema } from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import type { User } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { jsonText } from "../resources/json-text.ts"
import { userTexts } from "../resources/user.ts"
import { pageOfRows } from "./shared/page-of-rows.ts"
import { readPagination, requirePage } from "./shared/pagination.ts"
import type { Query } from "./shared/query.ts"

/** Users that fit, oldest first. The place of a page is stated only to those who ask for pages. */
export const listUsers: Query<ListUsersRequest> = async (request, context) => {
  const { users } = context.organization.document
  const isWanted = filterOf(request)
  if (request.paginationOptions === undefined)
    return `{"users":[${(await userTexts(users.filter(isWanted), context)).join()}]}`
  const list = { idOf: ({ userId }: User) => userId, isWanted }
  const { paged, pageInfo } = pageOfRows(users, list, readPagination(request.paginationOptions))
  const texts = await userTexts(requirePage(paged), context)
  return `{"users":[${texts.join()}],"pageInfo":${jsonText(PageInfoSchema, pageInfo)}}`
}

type Filter = Pick<ListUsersRequest, "search" | "userIds" | "userTagId">

function filterOf({ search = "", userIds, userTagId }: Filter): (user: User) => boolean {
  const text = search.trim().toLowerCase()
  const ids = new Set(userIds.map((id) => id.toLowerCase()))
  const tag = userTagId?.toLowerCase()
  return ({ userId, name, email, phoneNumber, tagIds }) =>
    (ids.size === 0 || ids.has(userId)) &&
    (tag === undefined || tagIds.includes(tag)) &&
    (text === "" || [name, email, phoneNumber, userId].some((own) => own.toLowerCase().includes(text)))
}
