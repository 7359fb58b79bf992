import { readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  Budget,
  compile,
  type Compiled,
  type RootReader,
  evaluate,
  type Field,
} from "../../signer/core/policy/expression.ts"
import { describeMachine, type Machine } from "../machine.ts"
import { type Timing, timed } from "../timing.ts"
import { prepareLargeOrders } from "./neighbour.ts"
import { prepareDecision, prepareFloor, prepareWalletDecision } from "./decision.ts"
import { erc20, typedData } from "./requests.ts"

/** Repetitions of each measurement. */
export type PoliciesPlan = {
  evaluations: number
  compilations: number
  requests: number
  largeOrders: number
}

export const FULL_PLAN: PoliciesPlan = {
  evaluations: 5_000,
  compilations: 50,
  requests: 2_000,
  largeOrders: 50,
}
export const SHORT_PLAN: PoliciesPlan = { evaluations: 20, compilations: 1, requests: 5, largeOrders: 1 }

/** Policies of one request. */
export const POLICIES = 100

export type Timed = { id: string; evaluateUs: Timing; compileUs: Timing }

export type PoliciesRun = {
  machine: Machine
  expressions: Timed[]
  /** All policies on one request, from reading its payload on. */
  requestsMs: { [kind: string]: Timing }
  /** The whole decision of one signature, and what a signed request costs by the bare libraries. */
  decisionUs: Timing
  walletDecisionUs: Timing
  /** An order on a large payload, by what its policies read: a neighbour's order waits as long. */
  neighbourMs: { [kind: string]: Timing }
  floorUs: Timing
}

type Example = { id: string; field: Field; expression: string; expect: string }

const CORPUS = join(import.meta.dirname, "..", "..", "test", "vectors", "policies", "expressions.json")

/** Measures every expression that is known to be in use, and a request that a hundred of them read. */
export function measurePolicies(plan: PoliciesPlan): PoliciesRun {
  const { expressions } = JSON.parse(readFileSync(CORPUS, "utf8")) as { expressions: Example[] }
  const accepted = expressions.filter(({ expect }) => expect !== "refused")
  const ofTypedData = typedData()
  const conditions = accepted.filter(({ field }) => field === "condition").map(compileOne)
  const [ofTransfers, ofPermits] = ["eth.tx", "eth.eip_712"].map((root) =>
    repeated(conditions.filter(({ roots }) => roots.has(root))),
  ) as [Compiled[], Compiled[]]
  return {
    machine: describeMachine(tmpdir()),
    expressions: accepted.map((example) => {
      const compiled = compileOne(example)
      const environment = compiled.roots.has("eth.eip_712") ? ofTypedData : erc20
      return {
        id: example.id,
        evaluateUs: timed(plan.evaluations, 1e3, () => evaluate(compiled, environment, new Budget())),
        compileUs: timed(plan.compilations, 1e3, () => compileOne(example)),
      }
    }),
    requestsMs: {
      "transfer of a token": timed(plan.requests, 1e6, () => judge(ofTransfers, erc20)),
      "typed data": timed(plan.requests, 1e6, () => judge(ofPermits, typedData())),
    },
    neighbourMs: Object.fromEntries(
      Object.entries(prepareLargeOrders(POLICIES)).map(([kind, act]) => [
        kind,
        timed(plan.largeOrders, 1e6, act),
      ]),
    ),
    decisionUs: timed(plan.requests, 1e3, prepareDecision(...textsOfSignatures(accepted))),
    walletDecisionUs: timed(plan.requests, 1e3, prepareWalletDecision()),
    floorUs: timed(plan.requests, 1e3, prepareFloor()),
  }
}

/** Conditions that speak of no chain, for a payload that is none; and all consensus there is. */
function textsOfSignatures(accepted: readonly Example[]): [string[], string[]] {
  const texts = (wanted: Field) => accepted.filter(({ field }) => field === wanted)
  const ofSignatures = texts("condition").filter((one) => {
    const roots = [...compileOne(one).roots]
    return roots.every((root) => ["activity", "wallet", "wallet_account"].includes(root))
  })
  return [ofSignatures, texts("consensus")].map((some) => some.map(({ expression }) => expression)) as [
    string[],
    string[],
  ]
}

function compileOne({ expression, field }: Example): Compiled {
  return compile(expression, field)
}

/** As many as there are policies, the same ones again where there are too few. */
function repeated(compiled: readonly Compiled[]): Compiled[] {
  return Array.from({ length: POLICIES }, (_, index) => compiled[index % compiled.length] as Compiled)
}

function judge(policies: readonly Compiled[], environment: RootReader): void {
  const budget = new Budget()
  for (const policy of policies) evaluate(policy, environment, budget)
}
