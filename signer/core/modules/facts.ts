// Generated from the folders of this folder by `npm run generate`: not edited by hand.
import type { RootBuilders } from "../policy/facts/item.ts"
import { facts as transactionsFacts } from "./transactions/facts.ts"
import { facts as walletsFacts } from "./wallets/facts.ts"

/** Builders of the roots that conditions of policies read. */
export const facts: RootBuilders = { ...transactionsFacts, ...walletsFacts }
