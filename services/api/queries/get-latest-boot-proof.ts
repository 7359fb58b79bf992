import {
  type GetLatestBootProofRequest,
  GetLatestBootProofResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { notFound } from "../errors.ts"
import { jsonText } from "../resources/json-text.ts"
import type { Query } from "./shared/query.ts"

/** The only program that signs app proofs. */
const PROVING_APP = "signer"

/** The boot proof of the running signer process. */
export const getLatestBootProof: Query<GetLatestBootProofRequest> = async ({ appName }, { bootProofs }) => {
  if (appName !== PROVING_APP) {
    throw notFound(`unknown appName "${appName}"; only ${PROVING_APP} makes app proofs`)
  }
  return jsonText(GetLatestBootProofResponseSchema, { bootProof: await bootProofs.latest() })
}
