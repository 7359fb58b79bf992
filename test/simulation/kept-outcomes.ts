// The rule of outcomes that the signer keeps, written from docs/ARCHITECTURE.md and docs/formats/ledger.md alone: it returns each
// outcome, always the same, until that is acknowledged, and never afterwards. An acknowledgement that was under way when
// the process ended was written or not.
import type { Observed, World } from "./oracle.ts"

/** An outcome that Recover returned. `key`: as in `Organization.done`. */
export type KeptOutcome = {
  organizationId: string
  key: string
  outcome: Extract<Observed, { is: "outcome" }>
}

/** Outcomes that Recover returned, by the ids of their votes. */
export type SeenOutcomes = Map<string, { bytes: Uint8Array; kept: KeptOutcome }>

/** Checks the whole answer of Recover, and learns from it what became of acknowledgements. Returns its fault; undefined: none. */
export function takeRecovered(world: World, recovered: readonly KeptOutcome[]): string | undefined {
  const found = new Map<string, KeptOutcome>()
  for (const each of recovered) {
    const name = `${each.organizationId}/${each.key}`
    if (found.has(name)) return `an outcome is recovered twice: ${name}`
    found.set(name, each)
  }
  for (const { organizationId, done } of world.values())
    for (const [key, each] of done) {
      const name = `${organizationId}/${key}`
      const kept = found.get(name)
      found.delete(name)
      if (each.acknowledged === "unknown") each.acknowledged = kept === undefined ? "yes" : "no"
      const isKept = each.acknowledged === "no"
      if (kept === undefined && isKept)
        return `an outcome that was not acknowledged is not recovered: ${name}`
      if (kept === undefined) continue
      if (!isKept) return `an acknowledged outcome is recovered: ${name}`
      if (textOf(kept.outcome) !== textOf(each.outcome)) return `another outcome is recovered: ${name}`
    }
  const [other] = found.keys()
  return other && `an outcome is recovered that no answer had: ${other}`
}

const textOf = (outcome: Observed) =>
  JSON.stringify(outcome, (_name, value: unknown) => (typeof value === "bigint" ? String(value) : value))
