import {
  type GetPrivateKeyRequest,
  GetPrivateKeyResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { jsonText } from "../json-text.ts"
import { requirePrivateKey } from "./private-keys.ts"
import type { Query } from "./query.ts"

export const getPrivateKey: Query<GetPrivateKeyRequest> = async ({ privateKeyId }, { sql, organization }) =>
  jsonText(GetPrivateKeyResponseSchema, {
    privateKey: await requirePrivateKey(sql, organization, privateKeyId),
  })
