import { credentials, type ServiceError, status } from "@grpc/grpc-js"
import t from "tap"
import { SignerService } from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { clientFor } from "../../proto/grpc-client.ts"
import { ApiClient } from "../harness/api-client.ts"
import { TestAuthority } from "../harness/certificates.ts"
import { patienceMs } from "../harness/patience.ts"
import { RunningBoundary } from "../harness/running-boundary.ts"
import { boundarySuite } from "./boundary-suite.ts"

/** One signer for all: its tests create organizations of their own. */
const boundary = await RunningBoundary.start()
t.teardown(() => boundary.close())

boundarySuite(t, () => Promise.resolve(boundary))

t.test("the running signer", async (t) => {
  const outcomeOf = async (call: Promise<unknown>) => {
    try {
      await call
      return "answered"
    } catch (error) {
      return (error as ServiceError).metadata?.get("countersign-refusal")[0] ?? (error as ServiceError).code
    }
  }

  t.test("answers the caller on its list", async (t) => {
    const grpcClient = boundary.client()
    t.teardown(() => grpcClient.close())
    const { pins } = await grpcClient.call.getPins({})
    t.match(pins?.notarizerPublicKey, /^04[0-9a-f]{258}$/)
  })

  t.test("signs a probe for the API tier only", async (t) => {
    const nonce = Buffer.alloc(32, 7)
    const grpcClient = boundary.client()
    t.teardown(() => grpcClient.close())
    const { statement, signature } = await grpcClient.call.probe({ nonce })
    t.ok(Buffer.from(statement).includes(nonce))
    t.equal(signature.length, 64)
    const worker = boundary.client(await boundary.authority.issue("worker"))
    t.teardown(() => worker.close())
    t.equal(await outcomeOf(worker.call.probe({ nonce })), "CALLER_UNKNOWN")
    t.equal(await outcomeOf(grpcClient.call.probe({ nonce: new Uint8Array(15) })), "REQUEST_INVALID")
  })

  t.test("refuses a caller with a valid certificate that is not on the list", async (t) => {
    const grpcClient = boundary.client(await boundary.authority.issue("worker"))
    t.teardown(() => grpcClient.close())
    t.equal(await outcomeOf(grpcClient.call.getPins({})), "CALLER_UNKNOWN")
  })

  t.test("refuses a caller of another authority", async (t) => {
    const stranger = await TestAuthority.create(`${boundary.directory}/stranger`, "Stranger")
    const own = await boundary.authority.issue("api")
    const grpcClient = boundary.client({ ...(await stranger.issue("api")), caFile: own.caFile })
    t.teardown(() => grpcClient.close())
    t.equal(await outcomeOf(grpcClient.call.getPins({})), status.UNAVAILABLE)
  })

  t.test("refuses a caller without certificate, and one without TLS", async (t) => {
    const { readFileSync } = await import("node:fs")
    const { caFile } = await boundary.authority.issue("api")
    for (const channel of [credentials.createSsl(readFileSync(caFile)), credentials.createInsecure()]) {
      const options = { address: boundary.address, credentials: channel, deadlineMs: patienceMs(30_000) }
      const grpcClient = clientFor(SignerService, options)
      t.teardown(() => grpcClient.close())
      t.equal(await outcomeOf(grpcClient.call.getPins({})), status.UNAVAILABLE)
    }
  })

  t.test("refuses a message over its bound", async (t) => {
    const grpcClient = boundary.client()
    t.teardown(() => grpcClient.close())
    const nonce = new Uint8Array(9 * 1024 * 1024)
    const organizationId = "00000000-0000-4000-8000-000000000000"
    t.equal(
      await outcomeOf(grpcClient.call.getOrganizationHead({ organizationId, nonce })),
      status.RESOURCE_EXHAUSTED,
    )
  })

  t.test("refuses a list of orders over its bound, and goes on serving", async (t) => {
    const grpcClient = boundary.client()
    t.teardown(() => grpcClient.close())
    const broken = async (count: number) => {
      const stream = grpcClient.call.execute()
      const ended = new Promise<unknown>((resolve) => stream.onEnd(resolve))
      const answers: bigint[] = []
      stream.onMessage((message) => answers.push(...message.answers.map(({ id }) => id)))
      stream.send({ orders: Array.from({ length: count }, (_, id) => ({ id: BigInt(id) })) })
      stream.end()
      return { error: await ended, answers: answers.length }
    }
    const { error, answers } = await broken(65)
    t.match(error, { code: status.INVALID_ARGUMENT, details: /at most 64/ })
    t.equal((error as ServiceError).metadata.get("countersign-refusal")[0], "REQUEST_TOO_LARGE")
    t.equal(answers, 0)
    t.same(await broken(64), { error: undefined, answers: 64 })
  })

  t.test("serves the operator's calls only on the operator's socket", async (t) => {
    const { OperatorService } = await import("../../proto/gen/countersign/signer/v1/operator_pb.ts")
    const { readFileSync } = await import("node:fs")
    const files = await boundary.authority.issue("api")
    const grpcClient = clientFor(OperatorService, {
      address: boundary.address,
      credentials: credentials.createSsl(
        readFileSync(files.caFile),
        readFileSync(files.keyFile),
        readFileSync(files.certificateFile),
      ),
      deadlineMs: patienceMs(30_000),
    })
    t.teardown(() => grpcClient.close())
    t.equal(await outcomeOf(grpcClient.call.getStatus({})), status.UNIMPLEMENTED)
  })

  t.test("keeps every answered order when it is killed", async (t) => {
    const client = new ApiClient(boundary)
    const acme = await client.createOrganization()
    const { address } = await client.wallet(acme)
    await boundary.restart()
    const { outcomes } = await boundary.recover(acme.organizationId)
    t.equal(outcomes.length, 2, "both outcomes wait for their acknowledgement")
    await boundary.restart()
    const { signParams, valueOf } = await import("../harness/api-client.ts")
    const signed = await client.submit(
      acme.root,
      "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
      acme.organizationId,
      signParams(address),
    )
    t.ok(valueOf(signed, "signRawPayloadResult").r)
  })
})
