import {
  type GetBootProofRequest,
  GetBootProofResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { notFound } from "../errors.ts"
import { jsonText } from "../resources/json-text.ts"
import type { Query } from "./shared/query.ts"

/** Ties the ephemeral key of an app proof to the deployment, also when the process of that key has ended. */
export const getBootProof: Query<GetBootProofRequest> = async ({ ephemeralKey }, { bootProofs }) => {
  const bootProof = await bootProofs.find(ephemeralKey.toLowerCase().replace(/^0x/, ""))
  if (bootProof === undefined) throw notFound("no process that made app proofs here had this ephemeral key")
  return jsonText(GetBootProofResponseSchema, { bootProof })
}
