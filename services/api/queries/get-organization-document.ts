import {
  type GetOrganizationDocumentRequest,
  GetOrganizationDocumentResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { jsonText } from "../resources/json-text.ts"
import type { Query } from "./shared/query.ts"

/** The document with the signer's signature, byte for byte. */
export const getOrganizationDocument: Query<GetOrganizationDocumentRequest> = (_request, { organization }) =>
  jsonText(GetOrganizationDocumentResponseSchema, {
    version: String(organization.version),
    notarizedDocumentB64: Buffer.from(organization.notarized).toString("base64"),
  })
