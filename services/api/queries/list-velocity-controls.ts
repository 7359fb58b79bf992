import {
  type ListVelocityControlsRequest,
  ListVelocityControlsResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { jsonText } from "../resources/json-text.ts"
import { velocityControlResource } from "../resources/velocity-control.ts"
import { readPagination, requirePage } from "./shared/pagination.ts"
import { pageOfIds } from "./shared/page-of-ids.ts"
import type { Query } from "./shared/query.ts"

/** Velocity controls, oldest first: their ids ascend in the order of creation. */
export const listVelocityControls: Query<ListVelocityControlsRequest> = async (request, { organization }) => {
  const all = organization.document.velocityControls
  const ids = all.map(({ velocityControlId }) => velocityControlId)
  const { paged, pageInfo } = await pageOfIds(ids, readPagination(request.paginationOptions))
  const page = new Set(requirePage(paged))
  const velocityControls = all
    .filter(({ velocityControlId }) => page.has(velocityControlId))
    .map((control) => velocityControlResource(control, organization.id))
  return jsonText(ListVelocityControlsResponseSchema, { velocityControls, pageInfo })
}
