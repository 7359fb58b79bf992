import type { OrganizationDocument } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { type ChainAsset, MAX_TOKENS, readToken } from "../../chains/assets.ts"

/** The first tokens of a chain that an organization's velocity controls list, each once. `caip2`: the chain's canonical name. */
export function listedTokens(
  { velocityControls }: Pick<OrganizationDocument, "velocityControls">,
  caip2: string,
): ChainAsset[] {
  const tokens = new Map<string, ChainAsset>()
  for (const { caip19, decimals } of velocityControls.flatMap(assetsOf)) {
    const asset = readToken(caip19)
    if (asset?.caip2 !== caip2 || tokens.has(asset.token)) continue
    if (tokens.size === MAX_TOKENS) break
    tokens.set(asset.token, { caip19, token: asset.token, decimals: Number(decimals), symbol: "" })
  }
  return [...tokens.values()]
}

function assetsOf({ dataSource }: OrganizationDocument["velocityControls"][number]) {
  const { definition } = dataSource ?? {}
  return definition?.case === "chainAssetTransfer" ? definition.value.definition : []
}
