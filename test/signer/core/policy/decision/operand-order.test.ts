import fc from "fast-check"
import t from "tap"
import { decide } from "../../../../../signer/core/policy/decision/decide.ts"
import { type RootReader } from "../../../../../signer/core/policy/expression.ts"
import { RequestFacts } from "../../../../../signer/core/policy/facts/request-facts.ts"
import type { Tree } from "../language/interpreter.ts"
import { write } from "../language/interpreter.ts"
import { data, environmentOf, trees } from "../language/random-trees.ts"
import { allow, decisionInput, deny } from "./fixture.ts"

/** True if a strict DENY with this condition denies dan's request. */
function isDenied(condition: string, facts: RootReader): boolean {
  const policies = [allow(), deny({ condition })]
  const input = decisionInput({ policies, approvers: ["dan"], isStrict: true })
  return decide({ ...input, facts: new RequestFacts([facts]) }).outcome === "deny"
}

// The first fault in the text of `a || b` decided: a DENY that reads a wallet was skipped, or denied.
t.test("strict: the order of operands does not change whether a DENY in error denies", async (t) => {
  const noFacts: RootReader = () => undefined
  const facts = environmentOf({ "eth.tx.data": { text: "0x" }, "eth.tx.value": 1 })
  const fault = "eth.tx.data[5000] == 'a'"
  const lacking = "private_key.id == 'a'"
  for (const operator of [" && ", " || "]) {
    t.equal(isDenied([fault, lacking].join(operator), facts), false, `skipped: ${operator}`)
    t.equal(isDenied([lacking, fault].join(operator), facts), false, `skipped, reversed: ${operator}`)
    t.equal(isDenied([fault, "eth.tx.value == 1"].join(operator), facts), true, `denies: ${operator}`)
    t.equal(
      isDenied(["eth.tx.value == 1", fault].join(operator), facts),
      true,
      `denies, reversed: ${operator}`,
    )
  }
  const costly = Array.from({ length: 100 }, () => "CaseInsensitiveString(eth.tx.data) == 'a'").join(" || ")
  const long = environmentOf({ "eth.tx.data": { text: "x".repeat(100_000) } })
  t.equal(
    isDenied(`${costly} || ${lacking}`, long),
    isDenied(`${lacking} || ${costly}`, long),
    "a costly one too",
  )
  t.equal(isDenied("[1].any(x, private_key.id == 'a')", noFacts), true, "a lambda's root is not always read")
})

/** The tree with the operands of && and || in reverse. */
function reversed(tree: Tree): Tree {
  const within = Object.fromEntries(
    Object.entries(tree).map(([name, part]) => [
      name,
      Array.isArray(part) ? part.map(reversed) : isTree(part) ? reversed(part) : part,
    ]),
  ) as unknown as Tree
  return within.is === "and" || within.is === "or" ? { ...within, parts: within.parts.toReversed() } : within
}

function isTree(part: unknown): part is Tree {
  return typeof part === "object" && part !== null && "is" in part
}

t.test("strict: reversing all operands of a random DENY changes no decision", async (t) => {
  let denied = 0
  fc.assert(
    fc.property(trees, data, (tree, values) => {
      const [text, mirrored] = [tree, reversed(tree)].map((one) => write(one, () => true)) as [string, string]
      const facts = environmentOf(values)
      const outcome = isDenied(text, facts)
      if (outcome) denied += 1
      if (outcome !== isDenied(mirrored, facts)) throw new Error(`${text}: denied ${outcome}; reversed not`)
    }),
    { numRuns: 2_000 },
  )
  t.ok(denied > 200 && denied < 1_800, `${denied} of 2000 denied`)
})
