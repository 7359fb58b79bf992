import {
  type GetVelocityControlRequest,
  GetVelocityControlResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { notFound } from "../errors.ts"
import { jsonText } from "../resources/json-text.ts"
import { velocityControlResource } from "../resources/velocity-control.ts"
import type { Query } from "./shared/query.ts"

export const getVelocityControl: Query<GetVelocityControlRequest> = async (asked, { organization }) => {
  const id = asked.velocityControlId.toLowerCase()
  const control = organization.document.velocityControls.find((one) => one.velocityControlId === id)
  if (control === undefined) {
    throw notFound(`unable to find velocity control ${id} in organization ${organization.id}`)
  }
  const velocityControl = velocityControlResource(control, organization.id)
  return jsonText(GetVelocityControlResponseSchema, { velocityControl })
}
