import type { RandomBytes } from "../../core/crypto/secret.ts"
import type { KeySet } from "../../core/crypto/keyset.ts"
import type { MessageDelivery } from "../delivery/delivery.ts"
import type { CodeKeys } from "./keys.ts"
import type { CodeRow } from "./row-mac.ts"
import type { CodeStore } from "./store.ts"

/** State, keys, clock and chance of a task on a one-time code. */
export type CodeContext = {
  store: CodeStore
  keys: CodeKeys
  /** Signs the key that a code is sealed to, and verification tokens. */
  keySet: KeySet
  delivery: MessageDelivery
  /** True if sandbox contacts have the published code, and no message. */
  sandboxContacts: boolean
  nowMs: () => number
  random: RandomBytes
  /** Marks the order as used: written with the first change that it makes. */
  orderRow: CodeRow
}
