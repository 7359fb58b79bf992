import type { KeyObject } from "node:crypto"
import { refuse } from "../../../core/refusal.ts"
import type { ExecutionDeps } from "./deps.ts"

/** The key that the paired fetcher signs with. @throws FETCHER_NOT_PAIRED */
export function requireFetcherKey({ fetcherKey }: Pick<ExecutionDeps, "fetcherKey">): KeyObject {
  if (fetcherKey !== undefined) return fetcherKey
  const sentence =
    "this needs the fetcher, and the signer is paired with none: COUNTERSIGN_SIGNER_FETCHER_PUBLIC_KEY"
  throw refuse("FETCHER_NOT_PAIRED", sentence)
}
