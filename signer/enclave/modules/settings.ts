// Generated from the folders of this folder by `npm run generate`: not edited by hand.
import {
  shape as transactionsShape,
  settings as transactionsSettings,
} from "./transactions/settings/settings.ts"

/** Settings as the operator writes them, without prefix. */
export const shape = { ...transactionsShape }

/** How each setting is made of these. */
export const settings = { ...transactionsSettings }
