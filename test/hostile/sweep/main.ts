// Alters every byte and every value of orders. Without arguments all of them: that takes long. Arguments name orders.
// npm run sweep, npm run sweep -- CREATE_WALLET APPROVE_ACTIVITY
import { sweptOrders } from "./orders.ts"
import { OrderPreparation } from "./prepared-orders.ts"
import { everyPlace, newFigures, summaryOf, sweepRequest } from "./sweep.ts"

const names = process.argv.slice(2)
const unknown = names.filter((name) => !sweptOrders.has(name))
if (unknown.length > 0) {
  console.error(`no such order: ${unknown.join(", ")}; there are: ${[...sweptOrders.keys()].join(", ")}`)
  process.exit(2)
}

const cleanups: (() => Promise<void>)[] = []
const figures = newFigures()
try {
  const preparation = await OrderPreparation.open({ teardown: (clean) => cleanups.unshift(clean) })
  for (const [name, prepare] of sweptOrders) {
    if (names.length > 0 && !names.includes(name)) continue
    const before = figures.orders
    await sweepRequest(name, prepare, preparation, everyPlace, figures)
    console.log(`${name}: ${figures.orders - before}`)
  }
} finally {
  for (const clean of cleanups) await clean()
}
for (const line of summaryOf(figures)) console.log(line)
process.exitCode = figures.effects.length === 0 ? 0 : 1
