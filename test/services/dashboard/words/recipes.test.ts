import { globSync } from "node:fs"
import { basename, join } from "node:path"
import t from "tap"
import { readTestFile } from "../../../../services/cli/policies/read-file.ts"
import { functionsOf } from "../../../../services/dashboard/api/policy-things.ts"
import { fromWhole } from "../../../../services/dashboard/words/amounts.ts"
import { faultsOfSlots } from "../../../../services/dashboard/words/recipe-faults.ts"
import { literal, RECIPES, type SlotValues } from "../../../../services/dashboard/words/recipes.ts"

const FOLDER = join(import.meta.dirname, "../../../../examples/policies/cookbook")
const USDC = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"
const [SUPPLIER, OTHER] = [`0x${"0".repeat(38)}aa`, `0x${"0".repeat(38)}cc`]
const PAYMENT = { user: "user-backend", wallet: "wallet-payments", chain: "1" }

/** Values of the cookbook's example by the title of each recipe, with the policy that they make there. */
const EXAMPLES: { readonly [title: string]: readonly [policyName: string, values: SlotValues] } = {
  "A limit a day": ["Backend pays at most 1.5 ether a day", { ...PAYMENT, control: "ether_of_a_day" }],
  "One function of one contract": [
    "Backend transfers at most 100 USDC",
    { ...PAYMENT, contract: USDC, function: "transfer", argument: "amount", decimals: "6", amount: "100" },
  ],
  "Known recipients": ["Backend pays known suppliers", { ...PAYMENT, addresses: `${SUPPLIER}\n${OTHER}` }],
  "Alone up to an amount": ["Backend pays up to 1 ether", { ...PAYMENT, amount: "1" }],
  "Two approvers": ["Two treasurers approve larger payments", { ...PAYMENT, tag: "tag-treasurer" }],
  "Business accounts by tag": [
    "Accountants sign with business accounts",
    { keys: "tag-business", tag: "tag-accountant" },
  ],
  "Users who only read": ["Auditors change nothing", { tag: "tag-auditor" }],
  "Delegated access": [
    "The service pays the subscription until the end of 2027",
    {
      user: "user-service",
      wallet: "wallet-main",
      chain: "1",
      to: SUPPLIER,
      data: "0x1b9265b8",
      amount: "0.1",
      day: "2027-12-31",
    },
  ],
  "No bare digests": ["Nobody signs a bare digest", {}],
  "An export needs two": ["Two officers export", { tag: "tag-officer" }],
}

t.test(
  "C-1826: each recipe of the policy editor makes the policy that the cookbook's file tests",
  async (t) => {
    const names = globSync("*.json", { cwd: FOLDER }).map((path) => basename(path))
    const suites = await Promise.all(names.map((name) => readTestFile(join(FOLDER, name))))
    const policies = suites.flatMap((suite) => suite.policies as { policyName: string }[])
    t.strictSame(RECIPES.map(({ title }) => title).toSorted(), Object.keys(EXAMPLES).toSorted())
    for (const recipe of RECIPES) {
      const [policyName, values] = EXAMPLES[recipe.title] ?? ["", {}]
      const written = policies.find((one) => one.policyName === policyName)
      const made = recipe.policy(values, values)
      const { consensus, ...others } = made
      const expected = { ...others, policyName, ...(consensus !== "" && { consensus }) }
      t.same(written, expected, recipe.title)
      t.same(faultsOfSlots(recipe, values), {}, `${recipe.title}: its values are valid`)
    }
  },
)

t.test("each slot that is empty or wrong has a sentence beside it", async (t) => {
  for (const recipe of RECIPES)
    t.same(
      Object.keys(faultsOfSlots(recipe, {})),
      recipe.slots.map(({ name }) => name),
      recipe.title,
    )
  const recipe = RECIPES.find(({ title }) => title === "Known recipients")
  const [, values] = EXAMPLES["Known recipients"] ?? ["", {}]
  if (recipe === undefined) throw new Error("there is no such recipe")
  t.match(faultsOfSlots(recipe, { ...values, addresses: `${SUPPLIER} 0xab` }), {
    addresses: /40 hexadecimal/,
  })
})

t.test("W159: a value cannot end its literal", async (t) => {
  for (const text of ["x' || 'a' == 'a", 'x"', "x\\", "x\ny"]) t.throws(() => literal(text), text)
  t.equal(literal("user-1"), "'user-1'")
  const limit = RECIPES[0]
  t.throws(() => limit?.policy({ ...PAYMENT, control: "a || true" }, {}))
  t.throws(() => limit?.policy({ ...PAYMENT, chain: "1 || true", control: "a" }, {}))
})

t.test("whole units become the smallest ones, digit by digit", async (t) => {
  t.equal(fromWhole("1.5", 18), "1500000000000000000")
  t.equal(fromWhole("0.000001", 6), "1")
  t.equal(fromWhole("007", 0), "7")
  t.equal(fromWhole("123456789012345678901234567890", 18), `123456789012345678901234567890${"0".repeat(18)}`)
  for (const text of ["", "1e3", "-1", "1,5", ".5", "1."]) t.throws(() => fromWhole(text, 18), /is a number/)
  t.throws(() => fromWhole("1.0000001", 6), /7 digits after the point; the unit has 6/)
  t.throws(() => fromWhole("1", Number.NaN), /Decimals are/)
})

t.test("functions of an interface are offered with their whole numbers; another text has none", async (t) => {
  const inputs = [
    { name: "to", type: "address" },
    { name: "amount", type: "uint256" },
  ]
  const abi = [
    { type: "function", name: "transfer", inputs },
    { type: "event", name: "Transfer", inputs },
    { type: "function", name: "pause" },
  ]
  t.same(functionsOf(JSON.stringify(abi)), [
    { name: "transfer", amounts: ["amount"] },
    { name: "pause", amounts: [] },
  ])
  for (const text of ["", "{", '{"version":"0.1.0"}', "null"]) t.same(functionsOf(text), [])
})
