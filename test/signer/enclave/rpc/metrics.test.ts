import { create, fromBinary, ScalarType, toBinary } from "@bufbuild/protobuf"
import { setImmediate as nextTurn } from "node:timers/promises"
import t, { type Test } from "tap"
import {
  AnswerKind,
  ReadFetcherMetricsResponseSchema,
  ReadMetricsResponseSchema,
} from "../../../../proto/gen/countersign/signer/v1/metrics_pb.ts"
import { Phase } from "../../../../proto/gen/countersign/signer/v1/phase_pb.ts"
import { RefusalCode } from "../../../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import {
  ExecuteRequestSchema,
  type ExecuteRequest,
  type ExecuteResponse,
} from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { BidiStream } from "../../../../proto/grpc.ts"
import { signerHandlers } from "../../../../signer/enclave/rpc/index.ts"
import { Histogram } from "../../../../signer/process/figures.ts"
import { ApiClient } from "../../../harness/api-client.ts"
import { InProcessBoundary } from "../../../harness/boundary.ts"

async function figuresOf({ signer }: InProcessBoundary) {
  return create(ReadMetricsResponseSchema, await signerHandlers.readMetrics({}, signer))
}

/** Sends orders on a stream, and waits for as many answers. */
async function sendAll(t: Test, boundary: InProcessBoundary, orders: { id: bigint; requestId?: string }[]) {
  let send: (request: ExecuteRequest) => void = () => undefined
  let answered = 0
  const stream: BidiStream<ExecuteRequest, ExecuteResponse> = {
    onMessage: (listener) => (send = listener),
    onEnd: () => undefined,
    send: ({ answers }) => Boolean((answered += answers.length)),
    drained: () => Promise.resolve(),
    end: () => undefined,
    cancel: () => undefined,
  }
  signerHandlers.execute(stream, boundary.signer)
  send(create(ExecuteRequestSchema, { orders }))
  while (answered < orders.length) await nextTurn()
  t.pass(`${answered} answers`)
}

t.test("the signer counts orders, refusals, and what its ledger wrote", async (t) => {
  const boundary = new InProcessBoundary()
  t.teardown(() => boundary.close())
  const before = await figuresOf(boundary)
  t.equal(before.phase, Phase.READY)
  await new ApiClient(boundary).createOrganization()
  await sendAll(t, boundary, [{ id: 1n }, { id: 2n }])
  const after = await figuresOf(boundary)
  t.same(
    after.refusals.map(({ code, count }) => [code, count]),
    [[RefusalCode.STAMP_MISSING, 2n]],
  )
  t.equal(after.answers.find(({ kind }) => kind === AnswerKind.REFUSED)?.count, 2n)
  t.equal(
    after.orderSeconds?.counts.reduce((sum, count) => sum + count, 0n),
    2n,
  )
  t.ok(after.ledgerChanges > before.ledgerChanges)
  t.ok(after.ledgerBytes > 0n)
  t.ok(after.diskBytes > after.diskFreeBytes && after.diskFreeBytes > 0n)
  t.same([after.auditDiskBytes, after.auditDiskFreeBytes], [0n, 0n], "this boundary has no folder of records")
  t.equal(after.sealEpoch, boundary.signer.state().keyring.records.epoch)
  t.ok(after.sealEpoch > 0)
  t.notOk(after.indexVerified)
  t.match(await boundary.signer.verifyIndex(), { damaged: 0, isWhole: true })
  t.ok((await figuresOf(boundary)).indexVerified)
  t.match(after, { waitingOrders: 0, runningOrders: 0, oldestOrderSeconds: 0 })
  t.ok((after.process?.residentBytes ?? 0n) > 0n)
})

t.test("durations are in the bucket that their bound belongs to", async (t) => {
  const histogram = new Histogram()
  for (const seconds of [0.001, 0.0011, 9, 11]) histogram.add(seconds)
  const { bounds, counts, sum } = histogram.read()
  t.equal(counts.length, bounds.length + 1)
  t.same([counts[0], counts[1], counts.at(-2), counts.at(-1)], [1n, 1n, 1n, 1n])
  t.equal(sum, 0.001 + 0.0011 + 9 + 11)
})

t.test("M1: no figure of signer or fetcher can hold text", async (t) => {
  const seen = new Set<string>()
  const visit = (schema: typeof ReadMetricsResponseSchema | typeof ReadFetcherMetricsResponseSchema) => {
    if (seen.has(schema.typeName)) return
    seen.add(schema.typeName)
    for (const field of schema.fields) {
      const isText =
        "scalar" in field && (field.scalar === ScalarType.STRING || field.scalar === ScalarType.BYTES)
      t.notOk(isText, `${schema.typeName}.${field.name}`)
      if (field.message) visit(field.message as typeof ReadMetricsResponseSchema)
    }
    t.same(fromBinary(schema, toBinary(schema, create(schema))), create(schema))
  }
  visit(ReadMetricsResponseSchema)
  visit(ReadFetcherMetricsResponseSchema)
  t.ok(seen.size >= 6)
})
