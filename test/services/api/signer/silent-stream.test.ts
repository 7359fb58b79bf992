// A stream of orders that no longer answers, while its connection lives.
import { mock } from "node:test"
import { setImmediate as nextTurn } from "node:timers/promises"
import { create } from "@bufbuild/protobuf"
import t from "tap"
import { OrderAnswerSchema } from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { StreamEvents } from "../../../../services/api/signer/signer.ts"
import { OrderStream } from "../../../../services/api/signer/stream.ts"
import { order } from "./order.ts"

const answerTo = (id: bigint) => create(OrderAnswerSchema, { id, answer: { case: "outcome", value: {} } })
const settled = (pending: Promise<unknown>) => pending.catch((error: unknown) => error)

/** A stream whose signer is the test, with what happened to it. */
function openStream() {
  const happened: string[] = []
  let events: StreamEvents | undefined
  const open = (given: StreamEvents) => {
    events = given
    const cancel = () => void happened.push("cancelled")
    return { write: () => undefined, end: () => undefined, cancel }
  }
  const stream = new OrderStream({ open } as never, () => happened.push("given up"))
  return { stream, happened, answer: (id: bigint) => events?.onAnswer(answerTo(id)) }
}

t.beforeEach(() => mock.timers.enable({ apis: ["setTimeout"] }))
t.afterEach(() => mock.timers.reset())

t.test("a stream on which no order is answered in time is ended", async (t) => {
  const { stream, happened } = openStream()
  const first = settled(stream.execute(order))
  mock.timers.tick(8_000)
  const later = settled(stream.execute(order))
  await nextTurn()
  mock.timers.tick(4_000)
  t.match(await first, { status: 503, message: /did not answer in time/ })
  t.match(await later, { status: 503, reason: "SIGNER_UNREACHABLE" }, "it is sent again on another stream")
  t.same(happened, ["cancelled", "given up"])
})

t.test("a stream that answers other orders outlives one that it does not answer", async (t) => {
  const { stream, happened, answer } = openStream()
  const lost = settled(stream.execute(order))
  const answered = stream.execute(order)
  await nextTurn()
  answer(2n)
  t.match(await answered, { answer: { case: "outcome" } })
  mock.timers.tick(20_000)
  t.match(await lost, { status: 503 })
  t.same(happened, [])
})
