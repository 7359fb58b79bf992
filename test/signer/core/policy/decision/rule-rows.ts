import t from "tap"
import { decide } from "../../../../../signer/core/policy/decision/decide.ts"
import { type DecisionSetup, decisionInput, outcomeNames } from "./fixture.ts"

export const SIGNS = "activity.action == 'SIGN'"
export const ABSENT = "eth.tx.value > 5"
export const AGENT = "approvers.any(u, u.tags.contains('agent'))"
export const ADMIN = "approvers.filter(u, u.tags.contains('admin')).count() >= 1"
export const NOW = "CronSpan('0 0 * * *', '1d', 'UTC')"
export const LONG_PAST = "time.now < Timestamp('2020-01-01T00:00:00Z')"

/** One rule of the decision procedure. */
export type Row = [title: string, ask: DecisionSetup, outcome: string, policies: string[]]

/**
 * One test for each row. dan is an agent; eva and fay are admins; ann, ben and cid are the root quorum, two of them.
 */
export function requireRules(rows: readonly Row[]): void {
  for (const [title, question, outcome, policies] of rows) {
    t.test(title, async (t) => {
      const decision = decide(decisionInput(question))
      t.same(outcomeNames(decision), policies)
      t.equal(decision.outcome, outcome)
    })
  }
}
