import { fromBinary } from "@bufbuild/protobuf"
import {
  NotarizedDocumentSchema,
  type OrganizationDocument,
  OrganizationDocumentSchema,
  type User,
} from "../../proto/gen/countersign/state/v1/document_pb.ts"
import type { ApiSeat } from "./api-seat.ts"

/** The organization as the signer handed it out last. */
export function documentOf(seat: ApiSeat, organizationId: string): OrganizationDocument {
  const { document } = fromBinary(NotarizedDocumentSchema, seat.documents.get(organizationId)!)
  return fromBinary(OrganizationDocumentSchema, document)
}

/** A user of it; undefined when he has left. */
export function userOf(seat: ApiSeat, organizationId: string, userId: string): User | undefined {
  return documentOf(seat, organizationId).users.find((user) => user.userId === userId)
}
