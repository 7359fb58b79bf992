import { readAsset } from "../../signer/core/modules/policies/velocity/assets.ts"
import { invalid, type Setting, shownBy } from "../../signer/core/settings/settings.ts"
import { currencyOf } from "../../signer/core/words/chains.ts"
import { canonicalChain, readChainName } from "./chains.ts"

/** An asset of a chain. `token`: contract or mint; empty for the chain's own currency. `symbol`: empty if it is not known. */
export type ChainAsset = {
  readonly caip19: string
  readonly token: string
  readonly decimals: number
  readonly symbol: string
}

/** Tokens that the operator lists, by canonical CAIP-2 name of their chain. */
export type ListedTokens = ReadonlyMap<string, readonly ChainAsset[]>

/** Tokens of one chain that a list of assets has at most: a node is asked for each. */
export const MAX_TOKENS = 50

/** Coin types of SLIP-44 by chain id; every other EVM chain has that of ether. */
const COIN_TYPES: { readonly [chainId: string]: number } = {
  56: 714,
  97: 714,
  100: 700,
  137: 966,
  80002: 966,
  42220: 52752,
  11142220: 52752,
}
const [ETHER, SOL] = [60, 501]

/** The currency of a chain itself. `caip2`: its canonical name. */
function nativeAsset(caip2: string): ChainAsset {
  const [namespace, reference = ""] = caip2.split(":")
  const isSolana = namespace === "solana"
  const coin = isSolana ? SOL : (COIN_TYPES[reference] ?? ETHER)
  return {
    caip19: `${caip2}/slip44:${coin}`,
    token: "",
    decimals: isSolana ? 9 : 18,
    symbol: currencyOf(caip2) ?? "",
  }
}

/** The chain's own currency and the first of these tokens, each once: those of the operator, then those of an organization. */
export function assetsOfChain(
  caip2: string,
  ofOperator: readonly ChainAsset[],
  ofOrganization: readonly ChainAsset[],
): ChainAsset[] {
  const assets = new Map([["", nativeAsset(caip2)]])
  for (const asset of [...ofOperator, ...ofOrganization])
    if (!assets.has(asset.token) && assets.size <= MAX_TOKENS) assets.set(asset.token, asset)
  return [...assets.values()]
}

/** A token of an EVM chain or of Solana with the canonical name of its chain; undefined: it is none. */
export function readToken(caip19: string): { caip2: string; token: string } | undefined {
  const asset = readAsset(caip19)
  if (asset === undefined || asset.token === "") return undefined
  if (asset.family !== "eip155" && asset.family !== "solana") return undefined
  return { caip2: canonicalChain(`${asset.family}:${asset.reference}`), token: asset.token }
}

/** Setting: tokens with symbol and decimals, `eip155:1/erc20:0x…=USDC:6,solana/token:…=EURC:6`. */
export const tokensSetting: Setting<ListedTokens> = shownBy(readTokens, (tokens) =>
  [...tokens.values()]
    .flat()
    .map(({ caip19, symbol, decimals }) => `${caip19}=${symbol}:${decimals}`)
    .join(", "),
)

const HOW =
  "write tokens as eip155:1/erc20:CONTRACT=SYMBOL:DECIMALS or solana/token:MINT=SYMBOL:DECIMALS, separated by commas"
const ENTRY = /^([^/=]+)\/([^=]+)=([A-Za-z0-9.$_-]{1,16}):(\d{1,2})$/

/** Decimals are a byte in contracts and mints; no token in use has more than these. */
const MAX_DECIMALS = 36

function readTokens(text = ""): ListedTokens {
  const tokens = new Map<string, ChainAsset[]>()
  for (const entry of text.split(",").map((one) => one.trim())) {
    if (entry === "") continue
    const { caip2, asset } = readEntry(entry)
    const listed = tokens.get(caip2) ?? []
    if (listed.some(({ token }) => token === asset.token)) throw invalid(`${asset.caip19} is listed twice`)
    if (listed.length === MAX_TOKENS) throw invalid(`${caip2} has more than ${MAX_TOKENS} tokens`)
    tokens.set(caip2, [...listed, asset])
  }
  return tokens
}

function readEntry(entry: string): { caip2: string; asset: ChainAsset } {
  const [, name = "", reference, symbol = "", digits] = ENTRY.exec(entry) ?? []
  const caip2 = readChainName(name)
  const caip19 = `${caip2}/${reference}`
  const decimals = Number(digits)
  const token = caip2 === undefined ? undefined : readToken(caip19)
  if (token === undefined || !(decimals <= MAX_DECIMALS)) throw invalid(`${HOW}; "${entry}" is no token`)
  return { caip2: token.caip2, asset: { caip19, token: token.token, decimals, symbol } }
}
