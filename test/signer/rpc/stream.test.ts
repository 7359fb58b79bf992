import { create } from "@bufbuild/protobuf"
import t from "tap"
import { RefusalCode } from "../../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import {
  type ExecuteRequest,
  ExecuteRequestSchema,
  type ExecuteResponse,
} from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { BidiStream } from "../../../proto/grpc.ts"
import { signerHandlers } from "../../../signer/rpc/index.ts"
import { InProcessBoundary } from "../../harness/boundary.ts"

/** One end of a stream, held by the test. */
class HeldStream implements BidiStream<ExecuteRequest, ExecuteResponse> {
  readonly answers: ExecuteResponse[] = []
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

  send(answer: ExecuteResponse): boolean {
    this.answers.push(answer)
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

t.test(
  "every message is answered, also those for which there is no room and those before the end",
  async (t) => {
    const boundary = new InProcessBoundary()
    t.teardown(() => boundary.close())
    const stream = new HeldStream()
    signerHandlers.execute(stream, boundary.signer, new AbortController().signal)
    const sent = 5000
    for (let id = 1; id <= sent; id++) stream.say(create(ExecuteRequestSchema, { id: BigInt(id) }))
    stream.hangUp(undefined)
    t.equal(await stream.ended, sent)
    const count = (code: RefusalCode) =>
      stream.answers.filter(({ answer }) => answer.case === "refused" && answer.value.code === code).length
    t.equal(count(RefusalCode["SIGNER_BUSY"]), sent - 4096, "what is beyond the bound is told to come again")
    t.equal(count(RefusalCode["REQUEST_MALFORMED"]), 4096, "the rest is read and says nothing")
    t.equal(new Set(stream.answers.map(({ id }) => id)).size, sent)
  },
)
