import { assetsOfChain, type ChainAsset } from "../../../chains/assets.ts"
import type { Nodes } from "../../sending/nodes.ts"
import { listedTokens } from "../../store/listed-tokens.ts"
import type { StoredOrganization } from "../../store/stored-organization.ts"

/**
 * The chain's own currency, the tokens of the chain that the operator lists, and the first ones that the organization's velocity
 * controls list, each once.
 */
export function supportedAssets(
  { document }: StoredOrganization,
  caip2: string,
  nodes: Pick<Nodes, "canonical" | "tokens">,
): ChainAsset[] {
  const chain = nodes.canonical(caip2)
  return assetsOfChain(chain, nodes.tokens(chain), listedTokens(document, chain))
}
