import type { MessageInitShape } from "@bufbuild/protobuf"
import type { VelocityControlSchema } from "../../../proto/gen/countersign/api/v1/resources_pb.ts"
import type { VelocityControl } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { timestamp } from "./time.ts"

export function velocityControlResource(
  { velocityControlId, name, identifier, dataSource, aggregation, createdAtMs }: VelocityControl,
  organizationId: string,
): MessageInitShape<typeof VelocityControlSchema> {
  const createdAt = timestamp(createdAtMs)
  return {
    velocityControlId,
    organizationId,
    name,
    identifier,
    ...(dataSource && { dataSource }),
    ...(aggregation && { aggregation }),
    createdAt,
    updatedAt: createdAt,
  }
}
