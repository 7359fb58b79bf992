import {
  type GetNoncesRequest,
  GetNoncesResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { invalid } from "../errors.ts"
import { jsonText } from "../resources/json-text.ts"
import { gasStationNonce } from "../../chains/delegation.ts"
import { askNode } from "../sending/nodes.ts"
import type { Query } from "./shared/query.ts"

/** The requested nonces, read from a node. A client puts them into the send that it stamps. */
export const getNonces: Query<GetNoncesRequest> = async (request, { nodes }) => {
  const { address, caip2 } = request
  if (!/^0x[0-9a-fA-F]{40}$/.test(address))
    throw invalid("address must be 0x and 40 hexadecimal digits", "address")
  const node = nodes.ethereum(caip2)
  const [nonce, stationNonce] = await askNode(caip2, () =>
    Promise.all([
      request.nonce ? node.nonce(address, "pending") : undefined,
      request.gasStationNonce ? gasStationNonce(node, address) : undefined,
    ]),
  )
  return jsonText(GetNoncesResponseSchema, {
    ...(nonce !== undefined && { nonce: String(nonce) }),
    ...(stationNonce !== undefined && { gasStationNonce: String(stationNonce) }),
  })
}
