import {
  type GetBootProofRequest,
  GetBootProofResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { notFound } from "../errors.ts"
import { jsonText } from "../resources/json-text.ts"
import type { Query } from "./shared/query.ts"

/** The boot proof of the process that signed with an app proof's key, whether it still runs or not. */
export const getBootProof: Query<GetBootProofRequest> = async ({ ephemeralKey }, { bootProofs }) => {
  const bootProof = await bootProofs.find(ephemeralKey.toLowerCase().replace(/^0x/, ""))
  if (bootProof === undefined) throw notFound("no signer process of this deployment had this ephemeral key")
  return jsonText(GetBootProofResponseSchema, { bootProof })
}
