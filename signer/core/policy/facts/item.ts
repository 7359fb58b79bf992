import type { ActivityEntry } from "../../../../proto/catalog.ts"
import type { Interfaces } from "../../contract-interface/interfaces.ts"
import type { Value } from "../language/value.ts"
import type { Parameters } from "../parameters/shown-parameters.ts"
import type { Payload, UnsignedTransaction } from "./declared.ts"
import type { Holdings, SecretFacts } from "./holdings.ts"
import type { SendFacts, SendItem } from "./send.ts"

export type FactsInput = {
  activity: ActivityEntry
  parameters: Parameters
  /**
   * Looks up the wallets and keys that the parameters name; called at most once for each signer, and only if a policy
   * reads them. `signer`: undefined for the one that the parameters name.
   */
  holdings: (signer?: string) => Holdings
  interfaces: Interfaces
  /** The transaction of a send, with all its values; called at most once. Absent: the activity sends none. */
  send?: () => SendFacts
}

/** One item of a batch, with its typed payload, secret, transaction or signer, where it has one. */
export type FactsItem = {
  readonly holdings: () => Holdings
  readonly payload?: Payload
  readonly secret?: SecretFacts
  /** The transaction of the request, where it is signed as it is. */
  readonly unsigned?: UnsignedTransaction
  readonly sent?: SendItem
}

/** Builds one root for an item. Undefined: the item does not have the root. */
export type RootBuilder = (item: FactsItem, input: FactsInput) => Value | undefined

/** Builders by the names of their roots. */
export type RootBuilders = { readonly [root: string]: RootBuilder }
