import { controls as module } from "../../modules/controls.ts"
import type { ControlReading, Excess } from "../controls.ts"
import { RequestFacts } from "../facts/request-facts.ts"
import { decide } from "./decide.ts"
import type { DecisionInput } from "./decision-input.ts"
import { policiesOf } from "./policy-set.ts"

/**
 * The velocity controls for which a request was denied. They are those over their threshold, if the request would not be denied
 * with all of them within it. Empty where other rules deny it as well.
 */
export function exceededControls(denied: DecisionInput): Excess[] {
  const { organization, controls = [], facts, nowMs } = denied
  const { controlsRead } = policiesOf(organization)
  const excesses = controls
    .filter(({ control }) => controlsRead.has(control.identifier))
    .flatMap((reading) => module.excessOf(reading, nowMs) ?? [])
  if (excesses.length === 0) return []
  const exceeded = new Set(excesses.map(({ reading }) => reading))
  const within = controls.map((reading) => (exceeded.has(reading) ? withinThreshold(reading) : reading))
  const { budgets: _spent, ...input } = denied
  const items = facts.items.map((item) => module.withControls(item, within))
  const decision = decide({ ...input, controls: within, facts: new RequestFacts(items) })
  return decision.outcome === "deny" ? [] : excesses
}

/** The reading as if the total were within the threshold: the comparison has its other value there. */
function withinThreshold(reading: ControlReading): ControlReading {
  return { ...reading, value: !reading.value }
}
