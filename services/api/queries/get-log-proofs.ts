import {
  type GetLogProofsRequest,
  GetLogProofsResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { jsonText } from "../resources/json-text.ts"
import { hex } from "../store/activity-row.ts"
import { logHeadMembers, readTreeSize } from "./shared/log-head.ts"
import type { Query } from "./shared/query.ts"

/** Leaves reveal no organization, so any caller may read any. */
export const getLogProofs: Query<GetLogProofsRequest> = async ({ leafIndexes, treeSize }, { log }) => {
  const head = await log.head()
  const size = readTreeSize(treeSize, head, "treeSize")
  const indexes = leafIndexes.map(Number).filter((index) => index < size)
  const proofs = await log.proofs(indexes, size, head)
  return jsonText(GetLogProofsResponseSchema, {
    ...logHeadMembers(head),
    treeSize: String(size),
    leaves: proofs.map(({ index, leaf, path }) => ({
      leafIndex: String(index),
      leaf: hex(leaf),
      inclusionProof: path.map(hex),
    })),
  })
}
