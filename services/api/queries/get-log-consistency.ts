import {
  type GetLogConsistencyRequest,
  GetLogConsistencyResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { counted } from "../../../signer/core/counted.ts"
import { invalid } from "../errors.ts"
import { jsonText } from "../resources/json-text.ts"
import { hex } from "../store/activity-row.ts"
import { logHeadMembers, readTreeSize } from "./shared/log-head.ts"
import type { Query } from "./shared/query.ts"

/** The proof between two trees, of which the caller may have kept the first. */
export const getLogConsistency: Query<GetLogConsistencyRequest> = async (request, { log }) => {
  const head = await log.head()
  const size = readTreeSize(request.newSize, head, "newSize")
  const oldSize = Number(request.oldSize)
  if (oldSize > size)
    throw invalid(
      `oldSize: it is ${oldSize}, and the later tree has ${counted(size, "leaf", "leaves")}; name no more than that`,
      "oldSize",
    )
  const proof = await log.consistency(oldSize, size, head)
  return jsonText(GetLogConsistencyResponseSchema, {
    ...logHeadMembers(head),
    newSize: String(size),
    consistencyProof: proof.map(hex),
  })
}
