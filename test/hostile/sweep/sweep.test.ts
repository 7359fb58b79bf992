import t from "tap"
import { activityTypes } from "../../../proto/catalog.ts"
import { casesOf, isLong } from "../../harness/long.ts"
import { stampBy } from "../../harness/stamper.ts"
import { sweptOrders } from "./orders.ts"
import { OrderPreparation } from "./prepared-orders.ts"
import { newFigures, somePlaces, summaryOf, sweepRequest } from "./sweep.ts"

/** The short form alters one order of so many. */
const STRIDE = isLong ? 1 : 14

t.test("the sweep has an order of every served activity type", async (t) => {
  const served = [...activityTypes.values()].filter((entry) => entry.served)
  const names = served.map(({ type }) => type.replace("ACTIVITY_TYPE_", ""))
  t.same(
    names.filter((name) => !sweptOrders.has(name)),
    [],
  )
})

t.test("A4: an altered order is refused or has exactly the effect of the unaltered one", async (t) => {
  const preparation = await OrderPreparation.open(t)
  const figures = newFigures()
  const orders = [...sweptOrders].filter((_, index) => index % STRIDE === 0)
  for (const [start, [name, prepare]] of orders.entries())
    await sweepRequest(name, prepare, preparation, somePlaces(1, start), figures)
  for (const line of summaryOf(figures)) t.comment(line)
  t.same(figures.effects, [])
  t.ok(figures.orders > 30 * orders.length, "every region of each order is altered")
})

t.test("the sweep tells another effect from that of the unaltered order", async (t) => {
  const preparation = await OrderPreparation.open(t)
  const { signer } = preparation
  for (const name of casesOf(1, ["CREATE_WALLET", "SIGN_RAW_PAYLOAD_V2"])) {
    const { snapshot, order, stamper } = await preparation.prepare(name, sweptOrders.get(name)!)
    await signer.load(snapshot, name)
    const body = Buffer.from(order.body.toString().replace(/"(One|0{64})"/, `"${"1".repeat(64)}"`))
    const other = { ...order, body, ...stampBy(stamper, body), fetched: [] }
    const [one, same] = [
      await signer.effectOf({ ...order, fetched: [] }),
      await signer.effectOf({ ...order, fetched: [] }),
    ]
    const another = await signer.effectOf(other)
    t.match(one, { is: "outcome" })
    t.strictSame(same, one, `${name}: the same order`)
    t.match(another, { is: "outcome" })
    t.notMatch(another, one, `${name}: an order with other parameters`)
  }
})
