import { ethereumAddressBytes } from "../../../address/ethereum.ts"
import { isTronAddress } from "../../../address/tron.ts"
import { isSolanaAddress } from "../../../address/solana.ts"
import type { Asset, ChainFamily } from "../../../policy/controls.ts"

// Assets of velocity controls: CAIP-19 asset types, https://chainagnostic.org/CAIPs/caip-19

/** The currency of the chain itself; no contract or mint has this name. */
export const NATIVE = ""

/** Contracts by which the currency of a chain itself is moved as a token, by CAIP-2 chain id: Celo's GoldToken. */
const NATIVE_CONTRACTS: { readonly [caip2: string]: string } = {
  "eip155:42220": "0x471ece3750da237f93b8e339c536989b8978a438",
}

/** A contract as assets name it: NATIVE if it moves the chain's currency. @param contract lower-case hexadecimal with 0x */
export function tokenOfContract(reference: string | undefined, contract: string): string {
  return NATIVE_CONTRACTS[`eip155:${reference}`] === contract ? NATIVE : contract
}

/** CAIP-2 chain id, then CAIP-19 asset namespace and reference. */
const ASSET_TYPE = /^([-a-z0-9]{3,8}):([-_a-zA-Z0-9]{1,32})\/([-a-z0-9]{3,8}):([-.%a-zA-Z0-9]{1,128})$/

type FamilyRules = {
  /** Form of the chain's reference. */
  readonly reference: RegExp
  /** Coin types (SLIP-44) of the native currency. */
  readonly coin: RegExp
  /** Namespace of tokens and the canonical spelling of a reference, undefined for an invalid one. */
  readonly tokens:
    | { readonly namespace: string; canonical(reference: string): string | undefined }
    | undefined
}

const FAMILIES: Readonly<Record<ChainFamily, FamilyRules>> = {
  // Each chain has one native currency, whatever SLIP-44 numbers it has been given.
  eip155: {
    reference: /^[1-9][0-9]*$/,
    coin: /^(?:0|[1-9][0-9]*)$/,
    tokens: { namespace: "erc20", canonical: canonicalContract },
  },
  solana: {
    reference: /^[-_a-zA-Z0-9]+$/,
    coin: /^501$/,
    tokens: { namespace: "token", canonical: (mint) => (isSolanaAddress(mint) ? mint : undefined) },
  },
  tron: {
    reference: /^[-_a-zA-Z0-9]+$/,
    coin: /^195$/,
    tokens: { namespace: "trc20", canonical: (text) => (isTronAddress(text) ? text : undefined) },
  },
  // Coin type 1 is that of all test networks.
  bip122: { reference: /^[0-9a-f]{32}$/, coin: /^[01]$/, tokens: undefined },
}

function canonicalContract(text: string): string | undefined {
  const bytes = ethereumAddressBytes(text)
  return bytes && `0x${Buffer.from(bytes).toString("hex")}`
}

/** The asset of a CAIP-19 asset type; undefined if this release cannot read the asset's transfers. */
export function readAsset(caip19: string): Asset | undefined {
  const [, family = "", reference = "", namespace, tokenReference = ""] = ASSET_TYPE.exec(caip19) ?? []
  if (!isFamily(family) || !FAMILIES[family].reference.test(reference)) return undefined
  const { coin, tokens } = FAMILIES[family]
  if (namespace === "slip44")
    return coin.test(tokenReference) ? { family, reference, token: NATIVE } : undefined
  if (namespace !== tokens?.namespace) return undefined
  const token = tokens?.canonical(tokenReference)
  if (token === undefined) return undefined
  return { family, reference, token: family === "eip155" ? tokenOfContract(reference, token) : token }
}

function isFamily(text: string): text is ChainFamily {
  return Object.hasOwn(FAMILIES, text)
}

/** The forms that readAsset takes, for refusals. */
export const ASSET_FORMS =
  "eip155:<id>/slip44:60, eip155:<id>/erc20:<contract>, solana:<id>/slip44:501, solana:<id>/token:<mint>, " +
  "tron:<id>/slip44:195, tron:<id>/trc20:<contract> or bip122:<id>/slip44:0"
