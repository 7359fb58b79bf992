import type { MessageInitShape } from "@bufbuild/protobuf"
import {
  type GetSuborgSummariesRequest,
  GetSuborgSummariesResponseSchema,
  type SuborgSummarySchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { jsonText } from "../resources/json-text.ts"
import type { StoredOrganization } from "../store/stored-organization.ts"
import type { Query } from "./shared/query.ts"

/** Sub-organizations by their ids, each in few words. Documents are read one after the other: each may have 2 MiB. */
export const getSuborgSummaries: Query<GetSuborgSummariesRequest> = async (
  { organizationIds },
  { organization, organizations },
) => {
  const suborgSummaries = []
  for (const id of organizationIds) {
    const found = await organizations.recent(id.toLowerCase())
    if (found?.document.parentId === organization.id) suborgSummaries.push(summaryOf(found))
  }
  return jsonText(GetSuborgSummariesResponseSchema, { suborgSummaries })
}

function summaryOf({
  id,
  document: { name, users },
}: StoredOrganization): MessageInitShape<typeof SuborgSummarySchema> {
  const [first] = users
  return {
    organizationId: id,
    organizationName: name,
    userCount: users.length,
    ...(first && {
      userName: first.name,
      ...(first.email !== "" && { userEmail: first.email }),
      ...(first.phoneNumber !== "" && { userPhoneNumber: first.phoneNumber }),
    }),
  }
}
