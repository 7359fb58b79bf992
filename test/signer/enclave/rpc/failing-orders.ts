// A program: hands orders with the ids of its first argument, a JSON list, to a signer that fails each of them.
import { create } from "@bufbuild/protobuf"
import {
  type ExecuteRequest,
  ExecuteRequestSchema,
} from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { SignerContext } from "../../../../signer/enclave/rpc/context.ts"
import { serveExecute } from "../../../../signer/enclave/rpc/execute.ts"
import { OrderFigures } from "../../../../signer/enclave/rpc/order-figures.ts"
import { newTurns } from "../../../../signer/enclave/rpc/turns.ts"

const ids = JSON.parse(process.argv[2] ?? "[]") as string[]

const context: SignerContext = {
  phase: () => ({ name: "ready" }),
  turns: newTurns(),
  orders: new OrderFigures(),
  storage: fail,
  stopping: new AbortController().signal,
  state: fail,
  acceptClock: async () => {},
  acceptLedger: async () => {},
}

function fail(): never {
  throw new TypeError("a fault")
}

let send: (request: ExecuteRequest) => void = () => undefined
const stream = {
  onMessage: (listener: typeof send) => (send = listener),
  onEnd: () => undefined,
  send: () => true,
  drained: () => Promise.resolve(),
  end: () => undefined,
  cancel: () => undefined,
}
serveExecute(stream, context)
send(
  create(ExecuteRequestSchema, {
    orders: ids.map((requestId, index) => ({ id: BigInt(index + 1), requestId })),
  }),
)
