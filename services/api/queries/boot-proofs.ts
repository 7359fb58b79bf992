import {
  type GetBootProofRequest,
  GetBootProofResponseSchema,
  type GetLatestBootProofRequest,
  GetLatestBootProofResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { notFound } from "../errors.ts"
import { jsonText } from "../resources/json-text.ts"
import type { Query } from "./shared/query.ts"

/** The only program that signs app proofs. */
const PROVING_APP = "signer"

/** What ties the key of an app proof to the deployment, also of a process that is no more. */
export const getBootProof: Query<GetBootProofRequest> = async ({ ephemeralKey }, { bootProofs }) => {
  const bootProof = await bootProofs.find(ephemeralKey.toLowerCase().replace(/^0x/, ""))
  if (bootProof === undefined) throw notFound("no process that made app proofs here had this ephemeral key")
  return jsonText(GetBootProofResponseSchema, { bootProof })
}

/** That of the running process. */
export const getLatestBootProof: Query<GetLatestBootProofRequest> = async ({ appName }, { bootProofs }) => {
  if (appName !== PROVING_APP) {
    throw notFound(`${appName} makes no app proofs; the only program here that does is ${PROVING_APP}`)
  }
  return jsonText(GetLatestBootProofResponseSchema, { bootProof: await bootProofs.latest() })
}
