// Sentences about recent activities that a policy would have allowed or denied, for people who do not read its expressions.
import { decisionWords } from "./outcomes.ts"
import { count, listOf } from "./time.ts"

/** A replay of one activity: the outcome of the policy, and those of all policies without and with it. */
export type Tried = { before: string; after: string; policy: string | undefined } | { fault: string }

/** Outcomes by the verb of their sentence. An ALLOW that cannot be evaluated allows nothing, and so does not apply. */
const DOES: readonly (readonly [outcomes: readonly string[], verb: string])[] = [
  [["OUTCOME_ALLOW"], "allows"],
  [["OUTCOME_DENY_EXPLICIT", "OUTCOME_REJECTED"], "refuses"],
  [["OUTCOME_REQUIRES_CONSENSUS", "OUTCOME_REQUIRES_AUTHENTICATORS"], "would ask for more votes on"],
]

/** Sentences about the last activities, the most important one first. */
export function foretold(effect: string, tried: readonly Tried[]): string[] {
  if (tried.length === 0) return ["There is no activity yet to try it on."]
  const decided = tried.filter((one) => "before" in one)
  const parts = DOES.flatMap(([outcomes, verb]) => {
    const number = decided.filter(({ policy }) => outcomes.includes(policy ?? "")).length
    return number === 0 ? [] : [{ number, text: `${verb} ${number}` }]
  })
  const rest = decided.length - parts.reduce((sum, { number }) => sum + number, 0)
  const all = [
    ...parts.map(({ text }) => text),
    ...(rest > 0 ? [`does not apply to ${rest === decided.length ? "any" : rest}`] : []),
  ]
  const first = decided.length === 0 ? [] : [`Of ${countOf(decided.length)}, this policy ${listOf(all)}.`]
  const faults = decided.filter(({ policy }) => policy === "OUTCOME_ERROR").length
  return [
    ...first,
    ...changesOf(decided),
    ...unevaluated(effect, faults),
    ...undecided(tried.length - decided.length),
  ]
}

/** A DENY that cannot be evaluated lets a request pass, unless a feature says otherwise: people expect the opposite. */
function unevaluated(effect: string, number: number): string[] {
  if (number === 0) return []
  const lack = `${number} of them ${number === 1 ? "lacks" : "lack"} what the policy's expressions name`
  return effect === "EFFECT_DENY"
    ? [`${lack}. The policy refuses those only with FEATURE_NAME_STRICT_DENY.`]
    : [`${lack}: the policy allows nothing there.`]
}

const countOf = (number: number) =>
  number === 1 ? "the last activity" : `the last ${number.toLocaleString("en")} activities`

/** Decisions that would be others than without the policy, the same ones together. */
function changesOf(decided: readonly { before: string; after: string }[]): string[] {
  const changes = new Map<string, number>()
  for (const { before, after } of decided) {
    if (before === after) continue
    const text = `from “${decisionWords(before)[1]}” to “${decisionWords(after)[1]}”`
    changes.set(text, (changes.get(text) ?? 0) + 1)
  }
  if (changes.size === 0) return ["Decided again today, each of them ends as it would without this policy."]
  const texts = [...changes].map(
    ([text, number]) => `${number} ${number === 1 ? "changes" : "change"} ${text}`,
  )
  return [`Decided again today, ${listOf(texts)}.`]
}

const undecided = (number: number): string[] =>
  number === 0
    ? []
    : [`${count(number, "more")} cannot be decided today, whatever the policy says.`.replace("mores", "more")]
