// A signer that is asked to end while orders run and wait.
import { setImmediate as nextTurn } from "node:timers/promises"
import { create } from "@bufbuild/protobuf"
import t, { type Test } from "tap"
import {
  type ExecuteRequest,
  ExecuteRequestSchema,
  type ExecuteResponse,
  type OrderAnswer,
} from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { BidiStream } from "../../../../proto/grpc.ts"
import { signerHandlers } from "../../../../signer/enclave/rpc/index.ts"
import { ApiClient, ethereumAccount, nameOf, signParams } from "../../../harness/api-client.ts"
import { InProcessBoundary } from "../../../harness/boundary.ts"
import { stampWith } from "../../../harness/stamper.ts"

/** So many accounts take the signer many slices to derive. */
const accounts = Array.from({ length: 1000 }, (_, index) => ethereumAccount(index + 1))

const CREATE_WALLET = "ACTIVITY_TYPE_CREATE_WALLET"

/** An organization, a stream of an API process, and orders that it may send. */
async function setup(t: Test) {
  const boundary = new InProcessBoundary()
  t.teardown(() => boundary.close())
  const client = new ApiClient(boundary)
  const acme = await client.createOrganization()
  const { address } = await client.wallet(acme)
  const context = { documents: [...client.documents.values()], records: [...client.records.values()] }
  const order = (id: bigint, type: string, parameters: object) => {
    const body = client.body(type, acme.organizationId, parameters)
    return { id, body: Buffer.from(body), xStamp: stampWith(acme.root, body), ...context }
  }
  const answers = new Map<bigint, string>()
  const end = Promise.withResolvers<void>()
  let send: (request: ExecuteRequest) => void = () => undefined
  const stream: BidiStream<ExecuteRequest, ExecuteResponse> = {
    onMessage: (listener) => (send = listener),
    onEnd: () => undefined,
    send: (response) => {
      for (const answer of response.answers) answers.set(answer.id, textOf(answer))
      return true
    },
    drained: () => Promise.resolve(),
    end: end.resolve,
    cancel: end.resolve,
  }
  signerHandlers.execute(stream, boundary.signer)
  return {
    signer: boundary.signer,
    answers,
    ended: end.promise,
    send: (...orders: ReturnType<typeof order>[]) => send(create(ExecuteRequestSchema, { orders })),
    signature: (id: bigint) => order(id, "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", signParams(address)),
    longOrder: (id: bigint) => order(id, CREATE_WALLET, { walletName: `Many ${id}`, accounts }),
    wallets: () => boundary.signer.state().ledger.rows(acme.organizationId, "wallet-account").length,
  }
}

function textOf({ answer }: OrderAnswer): string {
  return answer.case === "refused" ? nameOf(answer.value.code) : String(answer.case)
}

t.test(
  "an order that runs in slices is finished, the others are refused before any effect, and the stream ends",
  async (t) => {
    const { signer, answers, ended, send, signature, longOrder, wallets } = await setup(t)
    const before = wallets()
    send(longOrder(1n))
    while (signer.orders.running === 0) await nextTurn()
    signer.stop()
    send(signature(2n), longOrder(3n))
    await ended
    t.same(Object.fromEntries(answers), { "1": "outcome", "2": "SIGNER_STOPPING", "3": "SIGNER_STOPPING" })
    t.equal(wallets(), before + accounts.length, "only the order that ran has an effect")
    send(signature(4n))
    await nextTurn()
    t.notOk(answers.has(4n), "an ended stream is not read: its caller sends the order again elsewhere")
  },
)

t.test("closing waits for an order whose caller is gone", async (t) => {
  const { signer, answers, send, longOrder, wallets } = await setup(t)
  const before = wallets()
  send(longOrder(1n))
  while (signer.orders.running === 0) await nextTurn()
  const count = { wallets: 0 }
  void signer.orders.idle().then(() => (count.wallets = wallets()))
  await signer.close()
  t.equal(count.wallets, before + accounts.length)
  t.equal(answers.get(1n), "outcome")
})

t.test(
  "an order that is cut off at the deadline of a stop is refused, and nothing of it is written",
  async (t) => {
    const { signer, answers, send, longOrder, wallets } = await setup(t)
    const before = wallets()
    send(longOrder(1n))
    while (signer.orders.running === 0) await nextTurn()
    signer.stop()
    t.equal(wallets(), before)
    await signer.closeNow()
    while (!answers.has(1n)) await nextTurn()
    t.equal(answers.get(1n), "SIGNER_STOPPING")
  },
)

t.test("a stream that is opened while the signer stops ends at once", async (t) => {
  const { signer } = await setup(t)
  signer.stop()
  const end = Promise.withResolvers<void>()
  const stream = { onMessage: () => undefined, onEnd: () => undefined, send: () => true, end: end.resolve }
  signerHandlers.execute(stream as never, signer)
  await end.promise
  t.pass("it has ended")
})
