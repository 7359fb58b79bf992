import { globSync } from "node:fs"
import { basename, join } from "node:path"
import t from "tap"
import { runCases } from "../../services/cli/policies/run-tests.ts"
import { readTestFile } from "../../services/cli/policies/read-file.ts"
import { compile } from "../../signer/core/policy/expression.ts"
import { blocksOf, linksOf, proseOf, ROOT } from "./markdown.ts"

const FILE = "docs/policies-cookbook.md"
const FOLDER = "examples/policies/cookbook"

const names = globSync(`${FOLDER}/*.json`, { cwd: ROOT }).map((path) => basename(path))
const shown = blocksOf(FILE)
  .filter(({ language }) => language === "json")
  .map(({ text }) => JSON.parse(text) as Record<string, string>)
const prose = proseOf(FILE).replaceAll(/\s+/g, " ")

function suiteOf(name: string) {
  return readTestFile(join(ROOT, FOLDER, name))
}

t.test("the cookbook has ten recipes, each with a file of cases", async (t) => {
  t.equal([...prose.matchAll(/ ## \d+\. /g)].length, 10)
  const linked = linksOf(FILE).flatMap(({ path }) => (path.startsWith(FOLDER) ? [basename(path)] : []))
  t.strictSame(linked.toSorted(), names.toSorted())
})

t.test("every policy of the page is one of its file, as it is written there", async (t) => {
  const suites = await Promise.all(names.map(suiteOf))
  const written = suites.flatMap(({ policies }) => policies as object[])
  const policies = shown.filter((block) => "policyName" in block)
  t.ok(policies.length >= 10)
  for (const policy of policies) {
    const found = written.find((other) => JSON.stringify(other) === JSON.stringify(policy))
    t.ok(found, String(policy["policyName"]))
  }
})

t.test("the session's scope is the condition that its file tests", async (t) => {
  const [profile, ...others] = shown.filter((block) => "scope" in block)
  t.strictSame(others, [])
  const { policies } = await suiteOf("narrow-session.json")
  t.equal(policies[0]?.condition, profile?.["scope"])
  t.doesNotThrow(() => compile(profile?.["scope"] ?? "", "condition"))
})

for (const name of names) {
  t.test(`${name}: every case is as expected, and the page says it`, async (t) => {
    const suite = await suiteOf(name)
    const outcomes = new Set(
      suite.cases.map(({ expect }) => (typeof expect === "string" ? expect : expect.outcome)),
    )
    t.ok(outcomes.has("OUTCOME_ALLOW") && outcomes.size > 1, "something is allowed, and something is not")
    for (const { name: title, faults } of runCases(suite)) {
      t.strictSame(faults, [], title)
      t.ok(prose.includes(title), title)
    }
    t.ok(prose.includes(`decides ${suite.cases.length} cases`))
  })

  t.test(`${name}: without any one of its policies a case is not as expected`, async (t) => {
    const suite = await suiteOf(name)
    for (const policy of suite.policies) {
      const rest = suite.policies.filter((other) => other !== policy)
      const failed = runCases({ ...suite, policies: rest }).filter(({ faults }) => faults.length > 0)
      t.ok(failed.length > 0, policy.policyName)
    }
  })
}
