// Connections that were made with a former certificate end after its renewal, on either side, and no order fails.
import { copyFileSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { create } from "@bufbuild/protobuf"
import t, { type Test } from "tap"
import {
  type ExecuteRequest,
  ExecuteResponseSchema,
  SignerService,
} from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { addService, type Handlers } from "../../../../proto/grpc.ts"
import { SignerClient } from "../../../../services/api/signer/client.ts"
import { PeerTls } from "../../../../services/api/signer/peer-tls.ts"
import { connectSigner } from "../../../../services/api/signer/transport.ts"
import { createLogger } from "../../../../services/common/logger.ts"
import { listen, newServer } from "../../../../signer/process/transport.ts"
import { Deadline } from "../../../../signer/core/turns/deadline.ts"
import { type CertificateFiles, TestAuthority } from "../../../harness/certificates.ts"
import { freePort } from "../../../harness/free-port.ts"
import { patienceMs } from "../../../harness/patience.ts"
import { SilentLink } from "../../../harness/silent-link.ts"
import { order } from "./order.ts"
import { unservedCalls } from "./unserved.ts"

const PATIENCE_MS = patienceMs(30_000)

/** An order whose caller waits until it is answered: its clock goes back after it was read once. */
const times = [0]
const patient = {
  ...order,
  requestId: "patient",
  deadline: new Deadline(0, () => times.pop() ?? -10 * PATIENCE_MS),
}

/** Repeats until the check holds; its last answer otherwise. */
async function until(holds: () => boolean): Promise<boolean> {
  for (const endMs = Date.now() + PATIENCE_MS; Date.now() < endMs; await pause(20)) if (holds()) return true
  return false
}

/** Repeats a call that needs a connection: on a busy machine opening it takes longer than this process waits. */
async function answered<Reply>(call: () => Promise<Reply>): Promise<Reply> {
  for (const endMs = Date.now() + PATIENCE_MS; ; await pause(20)) {
    try {
      return await call()
    } catch (error) {
      if (Date.now() > endMs) throw error
    }
  }
}

/** A signer and an API tier behind mutual TLS, whose files a test renews, and the link between them. */
async function linked(t: Test) {
  const directory = t.testdir({ signer: {}, api: {} })
  const authority = await TestAuthority.create(join(directory, "authority"))
  const install = async (name: "signer" | "api"): Promise<CertificateFiles> => {
    const issued = await authority.issue(name)
    const base = join(directory, name)
    mkdirSync(base, { recursive: true })
    const files = { certificateFile: join(base, "crt"), keyFile: join(base, "key"), caFile: join(base, "ca") }
    for (const file of ["caFile", "certificateFile", "keyFile"] as const)
      copyFileSync(issued[file], files[file])
    return files
  }
  /** Answers of orders wait while `held` is set. */
  const state: { held: Promise<void> | undefined; patient: number } = { held: undefined, patient: 0 }
  const handlers: Handlers<typeof SignerService, void> = {
    execute: (stream) => {
      let running = 0
      let hasEnded = false
      const endWhenDone = () => void (hasEnded && running === 0 && stream.end())
      const answer = async ({ orders }: ExecuteRequest) => {
        running += 1
        state.patient += orders.filter(({ requestId }) => requestId === patient.requestId).length
        await state.held
        const answers = orders.map(({ id }) => ({ id, answer: { case: "outcome" as const, value: {} } }))
        stream.send(create(ExecuteResponseSchema, { answers }))
        running -= 1
        endWhenDone()
      }
      stream.onMessage((message) => void answer(message))
      stream.onEnd(() => {
        hasEnded = true
        endWhenDone()
      })
    },
    getPins: async () => ({}),
    ...unservedCalls,
  }
  const server = newServer()
  addService(server, SignerService, handlers, () => undefined)
  const port = await freePort()
  await listen(server, {
    kind: "tcp",
    address: `localhost:${port}`,
    callers: ["api"],
    ...(await install("signer")),
  })
  const link = await SilentLink.open(port, { silent: false })
  const { caFile, certificateFile, keyFile } = await install("api")
  const paths = { ca: caFile, certificate: certificateFile, key: keyFile }
  const tls = new PeerTls("signer", paths, createLogger("renewed-links", "silent"))
  const client = new SignerClient(connectSigner({ address: link.address, tls }))
  t.teardown(() => {
    client.close()
    link.close()
    server.forceShutdown()
  })
  return { client, link, state, install }
}

// Each waits for intervals of the processes: together, not one after the other.
t.jobs = 3

t.test(
  "the API's connections end once their orders are answered, after its certificate was renewed",
  async (t) => {
    const { client, link, state, install } = await linked(t)
    t.match(await answered(() => client.execute(order)), { case: "outcome" })
    await answered(() => client.getPins())
    t.equal(link.connections, 1)
    const { promise, resolve: release } = Promise.withResolvers<void>()
    state.held = promise
    const underWay = client.execute(patient)
    await install("api")
    // Calls use the present certificate; the former connection stays for its order alone.
    for (const endMs = Date.now() + PATIENCE_MS; link.connections < 2 && Date.now() < endMs; await pause(20))
      await answered(() => client.getPins())
    t.equal(link.connections, 2)
    state.held = undefined
    t.match(await answered(() => client.execute(order)), { case: "outcome" })
    t.equal(link.connections, 2)
    release()
    t.match(await underWay, { case: "outcome" })
    t.equal(state.patient, 1, "the order was not cut off and sent again")
    t.ok(await until(() => link.connections === 1))
    t.match(await answered(() => client.execute(order)), { case: "outcome" })
  },
)

t.test("an idle connection of the API ends after its certificate was renewed", async (t) => {
  const { client, link, install } = await linked(t)
  t.match(await answered(() => client.execute(order)), { case: "outcome" })
  await install("api")
  t.ok(await until(() => link.connections === 0))
  t.match(await answered(() => client.execute(order)), { case: "outcome" })
})

t.test(
  "the signer ends connections after its certificate was renewed, and every order is answered",
  async (t) => {
    const { client, link, install } = await linked(t)
    t.match(await answered(() => client.execute(order)), { case: "outcome" })
    const [former] = link.ports
    await install("signer")
    let count = 0
    for (const endMs = Date.now() + PATIENCE_MS; link.ports.includes(former!) && Date.now() < endMs; ) {
      if ((await answered(() => client.execute(order))).case === "outcome") count += 1
      await pause(10)
    }
    t.notOk(link.ports.includes(former!), `after ${count} orders`)
    t.match(await answered(() => client.execute(order)), { case: "outcome" })
  },
)
