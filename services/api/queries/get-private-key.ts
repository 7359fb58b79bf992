import {
  type GetPrivateKeyRequest,
  GetPrivateKeyResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { jsonText } from "../resources/json-text.ts"
import { requirePrivateKeyResource } from "../resources/private-key.ts"
import type { Query } from "./shared/query.ts"

export const getPrivateKey: Query<GetPrivateKeyRequest> = async ({ privateKeyId }, { sql, organization }) =>
  jsonText(GetPrivateKeyResponseSchema, {
    privateKey: await requirePrivateKeyResource(sql, organization, privateKeyId),
  })
