// A connection that is accepted and never answered, or goes silent, must not stop the calls of this process for good.
import { mkdtempSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { create } from "@bufbuild/protobuf"
import { Server, ServerCredentials } from "@grpc/grpc-js"
import t, { type Test } from "tap"
import {
  FetcherService,
  SignedFetchOrderSchema,
} from "../../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import {
  ExecuteResponseSchema,
  SignerService,
} from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { addService, type Handlers } from "../../../../proto/grpc.ts"
import { SignerClient } from "../../../../services/api/signer/client.ts"
import { connectFetcher } from "../../../../services/api/signer/fetcher.ts"
import { createLogger } from "../../../../services/common/logger.ts"
import { PeerTls } from "../../../../services/api/signer/peer-tls.ts"
import { connectSigner } from "../../../../services/api/signer/transport.ts"
import { TestAuthority } from "../../../harness/certificates.ts"
import { SilentLink } from "../../../harness/silent-link.ts"
import { order } from "./order.ts"
import { unserved, unservedCalls } from "./unserved.ts"

/** A signer that answers each order and its pins. */
const signerHandlers: Handlers<typeof SignerService, void> = {
  execute: (stream) =>
    stream.onMessage(({ orders }) => {
      const answers = orders.map(({ id }) => ({ id, answer: { case: "outcome" as const, value: {} } }))
      stream.send(create(ExecuteResponseSchema, { answers }))
    }),
  getPins: async () => ({}),
  ...unservedCalls,
}

/** Signer and fetcher behind mutual TLS, and a link to them. */
async function serveOver(t: Test, state: { silent: boolean }) {
  const authority = await TestAuthority.create(mkdtempSync(join(tmpdir(), "silent-")))
  const own = await authority.issue("signer")
  const caller = await authority.issue("api")
  const server = new Server()
  addService(server, SignerService, signerHandlers, () => undefined)
  addService(
    server,
    FetcherService,
    {
      fetch: async () => ({}),
      readFetcherMetrics: unserved,
      addCheckpoint: unserved,
      readCosignedHead: unserved,
    },
    () => undefined,
  )
  const pair = { private_key: readFileSync(own.keyFile), cert_chain: readFileSync(own.certificateFile) }
  const credentials = ServerCredentials.createSsl(readFileSync(own.caFile), [pair], true)
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("localhost:0", credentials, (error, bound) => (error ? reject(error) : resolve(bound)))
  })
  const link = await SilentLink.open(port, state)
  const paths = { ca: caller.caFile, certificate: caller.certificateFile, key: caller.keyFile }
  const log = createLogger("silent-link", "error")
  t.teardown(() => {
    link.close()
    server.forceShutdown()
  })
  return { link, endpoint: { address: link.address, tls: new PeerTls("signer", paths, log) } }
}

const ATTEMPTS = 40
const PAUSE_MS = 100

/** Calls until an answer comes. */
async function untilAnswered(call: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await call()
      return
    } catch (error) {
      if (attempt === ATTEMPTS) throw error
      await pause(PAUSE_MS)
    }
  }
}

// Each waits for time limits of the client: together, not one after the other.
t.jobs = 3

t.test("a signer that accepted a connection and never answered is asked again over another", async (t) => {
  const { link, endpoint } = await serveOver(t, { silent: true })
  const client = new SignerClient(connectSigner(endpoint))
  t.teardown(() => client.close())
  const refusals = await Promise.all([client.execute(order).catch(failure), client.getPins().catch(failure)])
  t.match(refusals, [{ status: 503 }, { status: 503 }])
  link.restore()
  await untilAnswered(() => client.execute(order))
  await untilAnswered(() => client.getPins())
  t.equal(link.connections, 1, "no connection of an attempt that was given up stays open")
})

t.test("a signer whose connection goes silent is asked again over another", async (t) => {
  const { link, endpoint } = await serveOver(t, { silent: false })
  const client = new SignerClient(connectSigner(endpoint))
  t.teardown(() => client.close())
  t.match(await client.execute(order), { case: "outcome" })
  link.silence()
  link.restore()
  await untilAnswered(() => client.execute(order))
})

t.test("a fetcher that accepted a connection and never answered is asked again over another", async (t) => {
  const { link, endpoint } = await serveOver(t, { silent: true })
  const fetcher = connectFetcher(endpoint)
  t.teardown(() => fetcher.close())
  const fetchOrder = create(SignedFetchOrderSchema)
  t.match(await fetcher.fetch(fetchOrder, "").catch(failure), { status: 503 })
  link.restore()
  await untilAnswered(() => fetcher.fetch(fetchOrder, ""))
})

function failure(error: unknown): unknown {
  return error
}
