// Generated from the folders of this folder by `npm run generate`: not edited by hand.
import type { AnyFactKind } from "../execution/state/fact-kind.ts"
import type { ModuleFacts } from "../execution/workspace/facts-request.ts"
import { powers as authProxyPowers } from "./auth-proxy/powers/powers.ts"
import { powers as loginPowers, fetched as loginFetched } from "./login/powers/powers.ts"
import { powers as onRampPowers, fetched as onRampFetched } from "./on-ramp/powers/powers.ts"
import { powers as transactionsPowers, facts as transactionsFacts } from "./transactions/powers/powers.ts"
import { powers as usersPowers, fetched as usersFetched } from "./users/powers/powers.ts"
import { powers as walletsPowers, facts as walletsFacts } from "./wallets/powers/powers.ts"

/** How the powers of all modules are made. */
export const powers = {
  ...authProxyPowers,
  ...loginPowers,
  ...onRampPowers,
  ...transactionsPowers,
  ...usersPowers,
  ...walletsPowers,
}

/** The facts of a request that modules show to policies. */
export const factSources: readonly ModuleFacts[] = [transactionsFacts, walletsFacts]

/** Kinds of facts that the fetcher states for activities. */
export const fetched: readonly AnyFactKind[] = [...loginFetched, ...onRampFetched, ...usersFetched]
