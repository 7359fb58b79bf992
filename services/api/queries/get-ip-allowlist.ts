import {
  type GetIpAllowlistRequest,
  GetIpAllowlistResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { jsonText } from "../resources/json-text.ts"
import { ipAllowlistResource } from "../resources/organization.ts"
import type { Query } from "./shared/query.ts"

/** The IP allowlist of the organization, or of one key. */
export const getIpAllowlist: Query<GetIpAllowlistRequest> = (asked, { organization: { document, id } }) => {
  const publicKey = (asked.publicKey ?? "").toLowerCase()
  const list = document.ipAllowlists.find((candidate) => candidate.publicKey === publicKey)
  return jsonText(GetIpAllowlistResponseSchema, { allowlist: ipAllowlistResource(id, publicKey, list) })
}
