import { decision } from "./decision.ts"
import type { Equivalent } from "./equivalent.ts"
import { execution } from "./execution.ts"
import { ledger } from "./ledger.ts"
import { logins } from "./logins.ts"
import { mailed } from "./mailed.ts"
import { stamp } from "./stamp.ts"
import { voting } from "./voting.ts"
import { webhooks } from "./webhooks.ts"

/** Mutants that no test can notice. Every other survivor is a missing test. */
export const equivalents: readonly Equivalent[] = [
  ...stamp,
  ...decision,
  ...ledger,
  ...execution,
  ...logins,
  ...mailed,
  ...voting,
  ...webhooks,
]
