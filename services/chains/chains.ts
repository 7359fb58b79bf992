import { canonicalChain } from "../../signer/core/address/chain.ts"
import { invalid, originOf, type Setting, shownBy } from "../../signer/core/settings/settings.ts"

/** A chain that this installation reaches, and its nodes. */
export type Chain = {
  /** Canonical CAIP-2 name, such as `eip155:1`. */
  caip2: string
  namespace: "eip155" | "solana"
  /** The part after the colon: for EVM chains the chain id, decimal. */
  reference: string
  /** JSON-RPC addresses, in the order in which they are asked. They may contain access keys: never log them. */
  urls: readonly string[]
}

export { canonicalChain }

/** Chains by canonical CAIP-2 name. */
export type Chains = ReadonlyMap<string, Chain>

/** Names that the setting takes beside CAIP-2: the chains of the interface's document, and Solana's. */
const CHAIN_NAMES: ReadonlyMap<string, string> = new Map([
  ["ethereum", "eip155:1"],
  ["ethereum-sepolia", "eip155:11155111"],
  ["base", "eip155:8453"],
  ["base-sepolia", "eip155:84532"],
  ["polygon", "eip155:137"],
  ["polygon-amoy", "eip155:80002"],
  ["solana", "solana:mainnet"],
  ["solana-devnet", "solana:devnet"],
])

/** Setting: chains with their nodes, `eip155:1=https://node|https://other,base=https://node`. */
export const chainsSetting: Setting<Chains> = shownBy(readChains, (chains) =>
  [...chains.values()].map(shownChain).join(", "),
)

/** A chain for logs, without the paths of its nodes: they may be access keys. */
function shownChain({ caip2, urls }: Chain): string {
  return `${caip2}=${urls.map((url) => originOf(new URL(url))).join("|")}`
}

function readChains(text = ""): Chains {
  const chains = new Map<string, Chain>()
  for (const part of text.split(",").map((one) => one.trim())) {
    if (part === "") continue
    const chain = readChain(part)
    if (chains.has(chain.caip2)) throw invalid(`${chain.caip2} is listed twice; write its URLs as url|url`)
    chains.set(chain.caip2, chain)
  }
  return chains
}

const SHAPE = /^(?:eip155:(?:[1-9][0-9]{0,18})|solana:[-_0-9a-zA-Z]{1,64})$/

/** The canonical CAIP-2 name of a chain that is named so, or by one of the names above; undefined: it is no chain. */
export function readChainName(name: string): string | undefined {
  const caip2 = CHAIN_NAMES.get(name) ?? name
  return SHAPE.test(caip2) ? canonicalChain(caip2) : undefined
}

function readChain(part: string): Chain {
  const equals = part.indexOf("=")
  const name = part.slice(0, Math.max(equals, 0)).trim()
  const canonical = readChainName(name)
  if (canonical === undefined) throw invalid(`${HOW}; "${name}" is no chain`)
  const urls = part
    .slice(equals + 1)
    .split("|")
    .map((url) => url.trim())
  // A URL may hold an access key, so the fault does not repeat it.
  if (!urls.every(isHttpUrl)) throw invalid(`${HOW}; a URL of ${name} is none of http or https`)
  const [namespace, reference = ""] = canonical.split(":")
  return { caip2: canonical, namespace: namespace === "solana" ? "solana" : "eip155", reference, urls }
}

const HOW = `write chains as eip155:1=https://node, separated by commas; names are ${[...CHAIN_NAMES.keys()].join(", ")}`

function isHttpUrl(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text)
}
