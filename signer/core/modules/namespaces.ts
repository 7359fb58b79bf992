// Generated from the folders of this folder by `npm run generate`: not edited by hand.
import { roots as policiesRoots } from "./policies/namespaces.ts"
import { roots as walletsRoots } from "./wallets/namespaces.ts"
import { roots as transactionsRoots } from "./transactions/namespaces.ts"

/** Types of these roots. */
export const roots = { ...policiesRoots, ...walletsRoots, ...transactionsRoots }
