import { fromBinary } from "@bufbuild/protobuf"
import {
  NotarizedDocumentSchema,
  type OrganizationDocument,
  OrganizationDocumentSchema,
  type User,
} from "../../proto/gen/countersign/state/v1/document_pb.ts"
import type { ApiClient } from "./api-client.ts"

/** The organization as the signer handed it out last. */
export function documentOf(client: ApiClient, organizationId: string): OrganizationDocument {
  const { document } = fromBinary(NotarizedDocumentSchema, client.documents.get(organizationId)!)
  return fromBinary(OrganizationDocumentSchema, document)
}

/** User of the document; undefined after their deletion. */
export function userOf(client: ApiClient, organizationId: string, userId: string): User | undefined {
  return documentOf(client, organizationId).users.find((user) => user.userId === userId)
}
