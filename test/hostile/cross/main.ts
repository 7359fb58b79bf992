// Walks the cross products that are generated from the contract, on the signer's own code. Every cell has an expectation.
// npm run cross                          every cell: about six minutes
// npm run cross -- CREATE_WALLET         the cells of these activities and orders
// npm run cross -- --share 5 --seed 7    five activities that the seed chooses, and more in products whose cells cost less
// npm run cross -- --suite               runs the tests that have a signer in their process, and sends each refused order again
import { randomInt } from "node:crypto"
import { parseArgs } from "node:util"
import { Cross } from "./run.ts"
import { retrySuite } from "./suite-refusals.ts"

const { values, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: "string" },
    share: { type: "string" },
    suite: { type: "boolean", default: false },
  },
})
const seed = Number(values.seed ?? randomInt(2 ** 31))
const share = values.share === undefined ? undefined : Number(values.share)
if (![seed, share ?? 1].every((value) => value >= 0)) {
  console.error("--seed and --share take numbers")
  process.exit(2)
}
process.exitCode = (await (values.suite ? runSuite() : runProducts())) ? 0 : 1

async function runSuite(): Promise<boolean> {
  const figures = await retrySuite(names)
  for (const line of figures.lines()) console.log(line)
  return figures.unexpected.length === 0
}

async function runProducts(): Promise<boolean> {
  const cleanups: (() => Promise<void>)[] = []
  const t = { teardown: (clean: () => Promise<void>) => cleanups.unshift(clean) }
  const products = new Cross({ seed, share, names })
  try {
    products.runMembers()
    await products.runRecords(t)
    await products.runCallers(t)
  } finally {
    for (const clean of cleanups) await clean()
  }
  for (const line of products.lines) console.log(line)
  return products.isFaultless
}
