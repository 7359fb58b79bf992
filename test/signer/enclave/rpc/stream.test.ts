import { setImmediate as nextTurn } from "node:timers/promises"
import { create } from "@bufbuild/protobuf"
import t, { type Test } from "tap"
import { RefusalCode } from "../../../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import {
  type ExecuteRequest,
  ExecuteRequestSchema,
  type ExecuteResponse,
  type OrderAnswer,
} from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { BidiStream } from "../../../../proto/grpc.ts"
import { signerHandlers } from "../../../../signer/enclave/rpc/index.ts"
import { ApiClient, nameOf, signParams } from "../../../harness/api-client.ts"
import { InProcessBoundary } from "../../../harness/boundary.ts"
import { stampWith } from "../../../harness/stamper.ts"

/** One end of a stream, held by the test. */
class HeldStream implements BidiStream<ExecuteRequest, ExecuteResponse> {
  readonly answers: OrderAnswer[] = []
  readonly messages: number[] = []
  readonly ended: Promise<number>
  say: (request: ExecuteRequest) => void = () => undefined
  hangUp: (error: Error | undefined) => void = () => undefined
  #end: (answers: number) => void = () => undefined

  constructor() {
    this.ended = new Promise((resolve) => {
      this.#end = resolve
    })
  }

  onMessage(listener: (request: ExecuteRequest) => void): void {
    this.say = listener
  }

  onEnd(listener: (error: Error | undefined) => void): void {
    this.hangUp = listener
  }

  send({ answers }: ExecuteResponse): boolean {
    this.answers.push(...answers)
    this.messages.push(answers.length)
    return true
  }

  drained(): Promise<void> {
    return Promise.resolve()
  }

  end(): void {
    this.#end(this.answers.length)
  }

  cancel(): void {
    this.end()
  }
}

function hold(t: Test) {
  const boundary = new InProcessBoundary()
  t.teardown(() => boundary.close())
  const stream = new HeldStream()
  signerHandlers.execute(stream, boundary.signer)
  const codes = () => {
    const counts = new Map<string, number>()
    for (const { answer } of stream.answers) {
      const name = answer.case === "refused" ? nameOf(answer.value.code) : String(answer.case)
      counts.set(name, (counts.get(name) ?? 0) + 1)
    }
    return Object.fromEntries(counts)
  }
  return { boundary, stream, codes }
}

/** Makes orders for signatures, with what an honest API tier would bring along. */
async function signer(boundary: InProcessBoundary) {
  const client = new ApiClient(boundary)
  const acme = await client.createOrganization()
  const { address } = await client.wallet(acme)
  const context = { documents: [...client.documents.values()], records: [...client.records.values()] }
  return (id: bigint) => {
    const body = client.body("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", acme.organizationId, signParams(address))
    return { id, body: Buffer.from(body), xStamp: stampWith(acme.root, body), ...context }
  }
}

const orders = (first: number, count: number, turnOf = "") =>
  Array.from({ length: count }, (_, index) => ({ id: BigInt(first + index), turnOf }))

/** One of fifty organizations. */
const organizationOf = (id: number) => `00000000-0000-4000-8000-0000000000${10 + (((id - 1) / 50) % 50)}`

t.test(
  "every order is answered, also without room in the queue and after the caller has ended the stream",
  async (t) => {
    const { stream, codes } = hold(t)
    const sent = 5000
    for (let id = 1; id <= sent; id += 50)
      stream.say(create(ExecuteRequestSchema, { orders: orders(id, 50, organizationOf(id)) }))
    stream.hangUp(undefined)
    t.equal(await stream.ended, sent)
    t.equal(codes()["SIGNER_BUSY"], sent - 4096, "orders beyond the bound are refused")
    t.equal(codes()["STAMP_MISSING"], 4096, "the rest is read")
    t.equal(new Set(stream.answers.map(({ id }) => id)).size, sent)
  },
)

t.test("orders of one organization beyond its bound are refused, and those of another are not", async (t) => {
  const { stream, codes } = hold(t)
  for (let id = 1; id <= 1100; id += 50)
    stream.say(create(ExecuteRequestSchema, { orders: orders(id, 50, organizationOf(1)) }))
  stream.say(create(ExecuteRequestSchema, { orders: orders(1101, 50, organizationOf(51)) }))
  stream.hangUp(undefined)
  t.equal(await stream.ended, 1150)
  t.same(codes(), { SIGNER_BUSY: 1100 - 1024, STAMP_MISSING: 1024 + 50 })
  const quiet = stream.answers.findLastIndex(({ id }) => id > 1100n)
  t.ok(quiet < 300, "the other organization is answered in turn, long before the flood")
})

t.test("an order that waited longer than its caller does is not run", async (t) => {
  const { boundary, stream } = hold(t)
  const good = await signer(boundary)
  const expired = { ...good(1n), timeoutMs: 1 }
  stream.say(create(ExecuteRequestSchema, { orders: [expired, good(2n)] }))
  const until = performance.now() + 2
  while (performance.now() < until) {
    // The signer is busy for longer than the first order may wait.
  }
  while (stream.answers.length < 2) await nextTurn()
  const answers = new Map(stream.answers.map(({ id, answer }) => [id, answer]))
  t.match(answers.get(1n), { case: "refused", value: { code: RefusalCode.DEADLINE_EXCEEDED } })
  t.equal(answers.get(2n)?.case, "outcome")
})

t.test(
  "each order of a message is answered by itself, also a bad one and two with the same id",
  async (t) => {
    const { boundary, stream, codes } = hold(t)
    const good = await signer(boundary)
    const bad = { id: 2n, body: Buffer.from("{"), xStamp: good(2n).xStamp }
    const acknowledgements = [{ organizationId: "no id" }]
    const list = [good(1n), bad, good(3n), good(3n), { id: 4n }]
    stream.say(create(ExecuteRequestSchema, { orders: list, acknowledgements }))
    stream.hangUp(undefined)
    t.equal(await stream.ended, list.length)
    t.same(codes(), { outcome: 3, REQUEST_MALFORMED: 1, STAMP_MISSING: 1 })
    t.same(
      stream.answers.map(({ id }) => Number(id)).toSorted((a, b) => a - b),
      [1, 2, 3, 3, 4],
    )
  },
)

t.test("signatures of one turn share a message, and a single one is sent at once", async (t) => {
  const { boundary, stream } = hold(t)
  const good = await signer(boundary)
  stream.say(create(ExecuteRequestSchema, { orders: [good(1n)] }))
  while (stream.answers.length < 1) await nextTurn()
  t.same(stream.messages, [1])
  stream.say(create(ExecuteRequestSchema, { orders: Array.from({ length: 8 }, (_, id) => good(BigInt(id))) }))
  while (stream.answers.length < 9) await nextTurn()
  t.ok(stream.messages.length < 6, "fewer messages than signatures")
})

t.test("a message with too many orders is refused whole, before any order is read", async (t) => {
  const { stream } = hold(t)
  const tooMany = create(ExecuteRequestSchema, {
    orders: orders(1, 40),
    acknowledgements: Array.from({ length: 25 }, () => ({})),
  })
  t.throws(() => stream.say(tooMany), { code: "REQUEST_TOO_LARGE", message: /at most 64/ })
  stream.hangUp(new Error("refused"))
  t.equal(await stream.ended, 0)
  t.same(stream.answers, [])
})

t.test("an order that fails inside the signer is answered INTERNAL, without the cause", async (t) => {
  const boundary = new InProcessBoundary()
  t.teardown(() => boundary.close())
  const stream = new HeldStream()
  const broken = () => {
    throw new TypeError("secret cause")
  }
  signerHandlers.execute(stream, { ...boundary.signer, phase: () => ({ name: "ready" }), state: broken })
  stream.say(create(ExecuteRequestSchema, { orders: orders(1, 1) }))
  while (stream.answers.length < 1) await nextTurn()
  t.match(stream.answers[0]?.answer, {
    case: "refused",
    value: { code: RefusalCode.INTERNAL, sentence: "internal error" },
  })
})
