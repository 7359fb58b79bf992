import { invalid, type Setting, shownAsWritten } from "../../signer/core/settings/settings.ts"
import { readChainName } from "./chains.ts"

/** Commitment levels of Solana after which a transaction is no longer followed. */
type Commitment = "confirmed" | "finalized"

/** When a chain's blocks count as final, by canonical CAIP-2 name. */
export type Finality = {
  /** Blocks from the one that includes a transaction to the newest, both counted. */
  confirmations: (caip2: string) => bigint
  commitment: (caip2: string) => Commitment
}

/** Two epochs of 32 slots (Casper FFG): the usual time until Ethereum's `finalized`. Also for chains that are not listed. */
const DEFAULT_CONFIRMATIONS = 64n

/** Blocks until a chain's own documents call a block final, with margin. OPERATIONS names the sources. */
const CONFIRMATIONS: ReadonlyMap<string, bigint> = new Map([
  // OP Stack: final with its batch on Ethereum, 20 to 30 minutes. Blocks of 2 s.
  ...each("10 11155420 8453 84532", 900n),
  // Arbitrum: final with its batch on Ethereum, about 20 minutes. Blocks of 0.25 s.
  ...each("42161 421614", 4_800n),
  // Polygon: a checkpoint has up to 512 blocks. Milestones are faster, and nodes may be without them (PIP-11).
  ...each("137 80002", 512n),
  // BNB Smart Chain without fast finality: more than half of 21 validators with 8 blocks each. BEP-126 needs 2 blocks.
  ...each("56 97", 88n),
  // Monad: a block is final two blocks later.
  ...each("143 10143", 4n),
])

function each(chainIds: string, confirmations: bigint): [caip2: string, confirmations: bigint][] {
  return chainIds.split(" ").map((chainId) => [`eip155:${chainId}`, confirmations])
}

const HOW =
  "write chains as eip155:1=64 with 1 to 100000 blocks, or as solana=finalized with confirmed or finalized, separated by commas"
const MAX_CONFIRMATIONS = 100_000

/** Setting: `eip155:1=64,solana=confirmed`. Chains that it does not name have the values above; Solana `finalized`. */
export const finalitySetting: Setting<Finality> = shownAsWritten((text = "") => {
  const confirmations = new Map<string, bigint>()
  const commitments = new Map<string, Commitment>()
  for (const entry of text.split(",").map((one) => one.trim())) {
    if (entry === "") continue
    const [, name = "", value = ""] = /^([^=]+)=([a-z0-9]+)$/.exec(entry) ?? []
    const caip2 = readChainName(name)
    if (caip2 === undefined) throw invalid(HOW)
    if (confirmations.has(caip2) || commitments.has(caip2)) throw invalid(`${caip2} occurs twice`)
    if (caip2.startsWith("solana:")) commitments.set(caip2, readCommitment(value))
    else confirmations.set(caip2, readConfirmations(value))
  }
  return {
    confirmations: (caip2) => confirmations.get(caip2) ?? CONFIRMATIONS.get(caip2) ?? DEFAULT_CONFIRMATIONS,
    commitment: (caip2) => commitments.get(caip2) ?? "finalized",
  }
})

function readCommitment(value: string): Commitment {
  if (value === "confirmed" || value === "finalized") return value
  throw invalid(HOW)
}

function readConfirmations(value: string): bigint {
  const number = /^[1-9][0-9]{0,5}$/.test(value) ? Number(value) : 0
  if (number === 0 || number > MAX_CONFIRMATIONS) throw invalid(HOW)
  return BigInt(number)
}
