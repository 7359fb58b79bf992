import { PendingConsensus } from "../../signer/core/policy/decision/pending-consensus.ts"
import { formulaOf } from "../../signer/core/policy/decision/vote-formula.ts"
import type { Compiled } from "../../signer/core/policy/language/compile.ts"
import { Budget } from "../../signer/core/policy/language/frame.ts"
import { MAX_SEARCH_STEPS } from "../../signer/core/policy/language/limits.ts"
import { runAtOnce } from "../../signer/core/turns/steps.ts"
import type { OrganizationNames, SearchMeasure, Warning } from "./warning.ts"

/** Steps of one search that are many: twenty such policies take all that the policies of a request have. */
const COSTLY_STEPS = MAX_SEARCH_STEPS / 20

/** Warns of a consensus for which finding the users who may still approve takes many steps. */
export function* lintCost(consensus: Compiled, { effect, searches }: OrganizationNames): Generator<Warning> {
  if (effect === "deny") return
  const { offset, length } = consensus.syntax
  const { opaque } = formulaOf(consensus)
  const comparing = opaque.find(({ places }) => places === undefined)
  const advice =
    comparing === undefined
      ? "compare ids, tags and types of credentials with whole texts"
      : "count approvers, or ask for `any` of them, instead of comparing approvals with each other"
  if (searches === undefined) {
    if (comparing === undefined) return
    const { place } = comparing.program
    yield {
      offset: place.offset,
      length: place.length,
      sentence: `costly with more than a few users: ${advice}`,
    }
  } else if (isCostly(consensus, searches)) {
    const sentence = `costly: finding who may approve takes over ${COSTLY_STEPS} of the ${MAX_SEARCH_STEPS} steps that all policies of a request have; ${advice}`
    yield { offset, length, sentence }
  }
}

function isCostly(consensus: Compiled, { voters, budget }: SearchMeasure): boolean {
  if (budget.left < COSTLY_STEPS) return false
  const own = new Budget(COSTLY_STEPS)
  const pending = new PendingConsensus(consensus, [], voters, own)
  const result = runAtOnce(pending.findContributors(new Set(voters.users), () => {}))
  budget.spend(COSTLY_STEPS - own.left)
  return result === "undecided"
}
