// A program: hands orders with the ids of its first argument, a JSON list, to a signer that fails each of them. With "broken" as the
// second one, an invariant is broken meanwhile.
import { create } from "@bufbuild/protobuf"
import {
  type ExecuteRequest,
  ExecuteRequestSchema,
} from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { requireInvariant } from "../../../../signer/core/invariant.ts"
import type { SignerContext } from "../../../../signer/enclave/rpc/context.ts"
import { serveExecute } from "../../../../signer/enclave/rpc/execute.ts"
import { OrderFigures } from "../../../../signer/enclave/rpc/order-figures.ts"
import { newTurns } from "../../../../signer/enclave/rpc/turns.ts"
import { noHolders } from "../../../harness/no-holders.ts"

const ids = JSON.parse(process.argv[2] ?? "[]") as string[]

const context: SignerContext = {
  phase: () => ({ name: "ready" }),
  turns: newTurns(),
  orders: new OrderFigures(),
  storage: fail,
  stopping: new AbortController().signal,
  seedLock: undefined,
  acts: noHolders,
  state: fail,
  terminate: (error) => {
    console.log("terminated", (error as Error).name)
    process.exit(70)
  },
  acceptClock: async () => {},
  acceptLedger: async () => {},
}

function fail(): never {
  requireInvariant(process.argv[3] !== "broken", "nothing is broken")
  throw new TypeError("a fault")
}

let send: (request: ExecuteRequest) => void = () => undefined
const stream = {
  onMessage: (listener: typeof send) => (send = listener),
  onEnd: () => undefined,
  send: () => {
    console.log("answered")
    return true
  },
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
