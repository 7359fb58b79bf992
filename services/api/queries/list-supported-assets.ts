import {
  type ListSupportedAssetsRequest,
  ListSupportedAssetsResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { jsonText } from "../resources/json-text.ts"
import type { Query } from "./shared/query.ts"
import { supportedAssets } from "./shared/supported-assets.ts"

/** The assets whose balances the service reads on a chain. */
export const listSupportedAssets: Query<ListSupportedAssetsRequest> = (
  { caip2 },
  { organization, nodes },
) => {
  nodes.require(caip2)
  const assets = supportedAssets(organization, caip2, nodes).map(({ caip19, decimals, symbol }) => ({
    caip19,
    decimals,
    ...(symbol !== "" && { symbol }),
  }))
  return jsonText(ListSupportedAssetsResponseSchema, { assets })
}
