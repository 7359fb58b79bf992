import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { create } from "@bufbuild/protobuf"
import { credentials, Server, ServerCredentials, status } from "@grpc/grpc-js"
import t, { type Test } from "tap"
import {
  GetOrganizationHeadRequestSchema,
  SignerService,
} from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import {
  Health,
  HealthCheckResponse_ServingStatus as Serving,
} from "../../proto/gen/grpc/health/v1/health_pb.ts"
import { orderCodecs } from "../../proto/codec/orders.ts"
import { addService, type Handlers, type ServerCall, serviceDefinition, useCodecs } from "../../proto/grpc.ts"
import { clientFor } from "../../proto/grpc-client.ts"
import { patienceMs } from "../harness/patience.ts"

class Unwelcome extends Error {}

const statusOf = (error: unknown) =>
  error instanceof Unwelcome
    ? { code: status.PERMISSION_DENIED, details: error.message }
    : { code: status.INTERNAL, details: "internal error" }

const unserved = async () => {
  throw new Error("a secret")
}

/** Serves both services on a socket of its own; ends with the test. */
async function serve(
  t: Test,
  {
    check,
    execute = () => undefined,
  }: Partial<Pick<Handlers<typeof SignerService, string>, "execute">> & {
    check?: Handlers<typeof Health, string>["check"]
  },
) {
  const address = `unix:${join(mkdtempSync(join(tmpdir(), "grpc-")), "socket")}`
  const server = new Server()
  const contextOf = (call: ServerCall) => {
    if (call.metadata.get("unwelcome").length > 0) throw new Unwelcome("not you")
    return call.getPeer()
  }
  addService(server, Health, { check: check ?? unserved }, contextOf, statusOf)
  const signer = {
    execute,
    recover: unserved,
    readArchive: unserved,
    readSession: unserved,
    expireActivities: unserved,
    listOrganizations: unserved,
    getOrganizationHead: async ({ nonce }: { nonce: Uint8Array }) => ({ statement: nonce }),
    getPins: unserved,
    getBootProof: unserved,
    readGasUsage: unserved,
    orderOnRampStatus: unserved,
    signWebhooks: unserved,
    getAuthProxyConfiguration: unserved,
    verifyAttestation: unserved,
    verifyIdToken: unserved,
    probe: unserved,
    readLog: unserved,
    readLogTile: unserved,
    readLogConsistency: unserved,
    showCheckpoint: unserved,
    readMetrics: unserved,
  }
  addService(server, SignerService, signer, contextOf)
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error) =>
      error ? reject(error) : resolve(),
    )
  })
  const options = { address, credentials: credentials.createInsecure(), deadlineMs: patienceMs(30_000) }
  const health = clientFor(Health, options)
  const signing = clientFor(SignerService, options)
  t.teardown(() => {
    health.close()
    signing.close()
    server.forceShutdown()
  })
  return { health, signing }
}

t.test("a service definition has path and direction of each method", async (t) => {
  t.match(serviceDefinition(Health), {
    check: { path: "/grpc.health.v1.Health/Check", requestStream: false },
  })
  t.match(serviceDefinition(SignerService)["execute"], { requestStream: true, responseStream: true })
})

t.test("a unary call carries request, context and reply", async (t) => {
  const { health } = await serve(t, {
    check: async ({ service }, peer) => ({
      status: service === "x" && peer !== "" ? Serving.SERVING : Serving.UNKNOWN,
    }),
  })
  await health.ready(2000)
  t.equal((await health.call.check({ service: "x" })).status, Serving.SERVING)
  t.equal((await health.call.check({})).status, Serving.UNKNOWN)
})

t.test("errors go through the status mapping; without a mapping nothing is disclosed", async (t) => {
  const { health, signing } = await serve(t, {
    check: async ({ service }) => {
      throw service === "" ? new Error("a secret") : new Unwelcome("not this one")
    },
  })
  const internal = { code: status.INTERNAL, details: "internal error" }
  await t.rejects(health.call.check({}), internal)
  await t.rejects(health.call.check({ service: "x" }), {
    code: status.PERMISSION_DENIED,
    details: "not this one",
  })
  await t.rejects(signing.call.getPins({}), internal)
})

t.test("a deadline ends the call on both sides", async (t) => {
  const aborted = Promise.withResolvers<void>()
  const { health } = await serve(t, {
    check: async (_, __, signal) => {
      signal.addEventListener("abort", () => aborted.resolve())
      await aborted.promise
      return {}
    },
  })
  await t.rejects(health.call.check({}, { deadlineMs: 50 }), { code: status.DEADLINE_EXCEEDED })
  await aborted.promise
  const late = new AbortController()
  const call = health.call.check({}, { signal: late.signal })
  late.abort()
  await t.rejects(call, { code: status.CANCELLED })
  await t.rejects(health.call.check({}, { signal: AbortSignal.abort() }), { code: status.CANCELLED })
})

t.test("bytes of a reply are views: they share the network buffer", async (t) => {
  const { signing } = await serve(t, {})
  const nonce = new Uint8Array(64).fill(7)
  const reply = await signing.call.getOrganizationHead(create(GetOrganizationHeadRequestSchema, { nonce }))
  t.same(Uint8Array.from(reply.statement), nonce)
  t.ok(reply.statement.buffer.byteLength > reply.statement.length)
})

t.test("a stream carries messages in order, both ways, and ends", async (t) => {
  const { signing } = await serve(t, {
    execute: (stream) => {
      stream.onMessage(({ orders }) => {
        for (const { id } of orders) stream.send({ answers: [{ id: id + 1n }] })
      })
      stream.onEnd(() => stream.end())
    },
  })
  const stream = signing.call.execute()
  const ids: bigint[] = []
  const ended = Promise.withResolvers<Error | undefined>()
  stream.onMessage(({ answers }) => ids.push(...answers.map(({ id }) => id)))
  stream.onEnd(ended.resolve)
  for (let id = 0n; id < 100n; id++) stream.send({ orders: [{ id }] })
  stream.end()
  t.equal(await ended.promise, undefined)
  t.same(
    ids,
    Array.from({ length: 100 }, (_, index) => BigInt(index + 1)),
  )
})

t.test("a stream reports a full buffer, and when it has drained", async (t) => {
  const { signing } = await serve(t, { execute: (stream) => stream.onMessage(() => undefined) })
  const stream = signing.call.execute()
  const ended = Promise.withResolvers<Error | undefined>()
  stream.onEnd(ended.resolve)
  const body = new Uint8Array(64 * 1024)
  const sent = Array.from({ length: 32 }, () => stream.send({ orders: [{ body }] }))
  t.equal(sent.at(-1), false)
  await stream.drained()
  t.equal(stream.send({}), true)
  stream.cancel()
  t.match(await ended.promise, { code: status.CANCELLED })
  await stream.drained()
  t.equal(stream.send({}), false)
})

t.test("a server answers after its caller has ended", async (t) => {
  const { signing } = await serve(t, {
    execute: (stream) => {
      stream.onMessage(() => undefined)
      stream.onEnd(() => {
        setImmediate(() => {
          stream.send({ answers: [{ id: 9n }] })
          stream.end()
        })
      })
    },
  })
  const stream = signing.call.execute()
  const answer = Promise.withResolvers<bigint>()
  stream.onMessage(({ answers }) => answers.forEach(({ id }) => answer.resolve(id)))
  stream.end()
  t.equal(await answer.promise, 9n)
})

t.test("either side can break a stream off, and the other side is notified", async (t) => {
  const [own, heard] = [
    Promise.withResolvers<Error | undefined>(),
    Promise.withResolvers<Error | undefined>(),
  ]
  const { signing } = await serve(t, {
    execute: (stream) => {
      stream.onMessage(() => stream.cancel())
      stream.onEnd(own.resolve)
    },
  })
  const first = signing.call.execute()
  const ended = Promise.withResolvers<Error | undefined>()
  first.onMessage(() => undefined)
  first.onEnd(ended.resolve)
  first.send({})
  t.match(await ended.promise, { code: status.UNAVAILABLE })
  t.type(await own.promise, Error)
  const { signing: other } = await serve(t, { execute: (stream) => stream.onEnd(heard.resolve) })
  const second = other.call.execute()
  second.onEnd(() => undefined)
  second.send({})
  await other.ready(2000)
  second.cancel()
  t.type(await heard.promise, Error)
})

t.test("a caller that the context refuses gets its status, on streams too", async (t) => {
  const { health } = await serve(t, { check: async () => ({}) })
  await t.resolves(health.call.check({}))
  const refusing = new Server()
  const address = `unix:${join(mkdtempSync(join(tmpdir(), "grpc-")), "socket")}`
  const refuse = () => {
    throw new Unwelcome("not you")
  }
  const never = async () => ({})
  const signer = { execute: () => undefined, recover: never, readArchive: never, getOrganizationHead: never }
  addService(
    refusing,
    SignerService,
    {
      ...signer,
      expireActivities: never,
      listOrganizations: never,
      readSession: never,
      readGasUsage: never,
      orderOnRampStatus: never,
      signWebhooks: never,
      getAuthProxyConfiguration: never,
      verifyAttestation: never,
      verifyIdToken: never,
      getPins: never,
      getBootProof: never,
      probe: never,
      readLog: never,
      readLogTile: never,
      readLogConsistency: never,
      showCheckpoint: never,
      readMetrics: never,
    },
    refuse,
    statusOf,
  )
  await new Promise<void>((resolve) => {
    refusing.bindAsync(address, ServerCredentials.createInsecure(), () => resolve())
  })
  const client = clientFor(SignerService, {
    address,
    credentials: credentials.createInsecure(),
    deadlineMs: patienceMs(30_000),
  })
  t.teardown(() => {
    client.close()
    refusing.forceShutdown()
  })
  await t.rejects(client.call.getPins({}), { code: status.PERMISSION_DENIED, details: "not you" })
  const ended = Promise.withResolvers<Error | undefined>()
  const stream = client.call.execute()
  stream.onMessage(() => undefined)
  stream.onEnd(ended.resolve)
  t.match(await ended.promise, { code: status.PERMISSION_DENIED })
})

t.test(
  "C-1920: codecs that a process brings take the place of protobuf-es's, for their messages alone",
  async (t) => {
    t.teardown(() => useCodecs(orderCodecs))
    const encoded = Buffer.from("by the codec")
    useCodecs((whole) => {
      const codec = { ...whole(GetOrganizationHeadRequestSchema), encode: () => encoded }
      return new Map([[GetOrganizationHeadRequestSchema.typeName, codec]])
    })
    const { getOrganizationHead, readGasUsage } = serviceDefinition(SignerService)
    t.equal(getOrganizationHead?.requestSerialize({}), encoded)
    t.notOk(readGasUsage?.requestSerialize({ organizationId: "" }).equals(encoded))
    const decoded = getOrganizationHead?.requestDeserialize(Buffer.alloc(0))
    t.match(decoded, { $typeName: GetOrganizationHeadRequestSchema.typeName })
  },
)
