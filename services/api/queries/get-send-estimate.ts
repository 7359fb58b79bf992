import {
  type GetSendEstimateRequest,
  GetSendEstimateResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { ethereumAddressBytes } from "../../../signer/core/address/ethereum.ts"
import { readEthereumSend } from "../../../signer/core/send/ethereum-send.ts"
import { invalid } from "../errors.ts"
import { jsonText } from "../resources/json-text.ts"
import { estimateGas } from "../sending/estimate.ts"
import { askNode } from "../sending/nodes.ts"
import type { Query } from "./shared/query.ts"

const ADDRESS = "0x and 40 hexadecimal digits, with the checksum if letters differ in case"

/** The gas and fees that a send without them would get now. */
export const getSendEstimate: Query<GetSendEstimateRequest> = async (request, { nodes }) => {
  for (const name of ["from", "to"] as const)
    if (ethereumAddressBytes(request[name]) === undefined) throw invalid(`${name} must be ${ADDRESS}`, name)
  const { caip2, from, calls } = readEthereumSend(request)
  const node = nodes.ethereum(caip2)
  const sent = calls.map(({ to, value, data }) => {
    return { to, value: String(value), data: Buffer.from(data.slice(2), "hex") }
  })
  const [gasLimit, fees] = await askNode(caip2, () =>
    Promise.all([estimateGas(node, { from, calls: sent, byDelegate: false }), nodes.fees(caip2)]),
  )
  return jsonText(GetSendEstimateResponseSchema, {
    gasLimit: String(gasLimit),
    maxFeePerGas: String(fees.maxFeePerGas),
    maxPriorityFeePerGas: String(fees.maxPriorityFeePerGas),
  })
}
