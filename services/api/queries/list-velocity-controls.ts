import {
  type ListVelocityControlsRequest,
  ListVelocityControlsResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import type { VelocityControl } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { jsonText } from "../resources/json-text.ts"
import { velocityControlResource } from "../resources/velocity-control.ts"
import { pageOfRows } from "./shared/page-of-rows.ts"
import { readPagination, requirePage } from "./shared/pagination.ts"
import type { Query } from "./shared/query.ts"

/** Velocity controls, oldest first. */
export const listVelocityControls: Query<ListVelocityControlsRequest> = (request, { organization }) => {
  const list = { idOf: ({ velocityControlId }: VelocityControl) => velocityControlId }
  const page = readPagination(request.paginationOptions)
  const { paged, pageInfo } = pageOfRows(organization.document.velocityControls, list, page)
  const velocityControls = requirePage(paged).map((control) =>
    velocityControlResource(control, organization.id),
  )
  return jsonText(ListVelocityControlsResponseSchema, { velocityControls, pageInfo })
}
