// GET /readyz: the signer is ready if it signs, not if it answers.
import { generateKeyPairSync } from "node:crypto"
import { create } from "@bufbuild/protobuf"
import t from "tap"
import {
  GetPinsResponseSchema,
  type ProbeResponse,
  ProbeResponseSchema,
} from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { ApiError, GrpcCode } from "../../../../services/common/api-error.ts"
import { refuse } from "../../../../signer/core/refusal.ts"
import { startApi } from "../start-api.ts"
import { StubSigner } from "../stub-signer.ts"

const unavailable = new ApiError(GrpcCode.unavailable, "the signer cannot be reached now; try again")

async function readyz(t: Parameters<typeof startApi>[0], signer: StubSigner) {
  const api = await startApi(t, { signer })
  await api.service.recover().catch(() => undefined)
  return await api.send("/readyz")
}

t.test("a signer that signs a fresh nonce is ready, also without any organization", async (t) => {
  const signer = new StubSigner()
  const { status, json } = await readyz(t, signer)
  t.equal(status, 200)
  const fetcher = "the signer is paired with no fetcher: COUNTERSIGN_SIGNER_FETCHER_PUBLIC_KEY"
  t.same(json, { ready: true, database: "ok", signer: "ok", recovery: "ok", fetcher })
  t.same(signer.questions, [], "no organization is asked about")
})

t.test("a signer that returns its pins and cannot sign is not ready", async (t) => {
  const signer = new StubSigner()
  signer.probe = () => Promise.reject(unavailable)
  t.match(await readyz(t, signer), {
    status: 503,
    json: { ready: false, signer: "no answer", database: "ok" },
  })
})

t.test("a signer that is away is not shown as a fault of the fetcher", async (t) => {
  const signer = new StubSigner()
  signer.probe = () => Promise.reject(unavailable)
  signer.getPins = () => Promise.reject(unavailable)
  const fetcher = "not known while the signer does not answer"
  t.match(await readyz(t, signer), { status: 503, json: { ready: false, signer: "no answer", fetcher } })
})

t.test("a halted signer's code and reason are shown", async (t) => {
  const signer = new StubSigner()
  signer.probe = () => Promise.reject(refuse("LEDGER_OLDER", "the ledger is older"))
  const shown = { ready: false, signer: "LEDGER_OLDER: the ledger is older", database: "ok" }
  t.match(await readyz(t, signer), { status: 503, json: shown })
})

t.test("a signature by another key or over another nonce is not accepted", async (t) => {
  const honest = new StubSigner()
  const old = await honest.probe(Buffer.alloc(32))
  const forgeries: { [name: string]: (signer: StubSigner, nonce: Uint8Array) => Promise<ProbeResponse> } = {
    "another key": (_signer, nonce) => honest.probe(nonce),
    "an older answer": async (signer) => {
      Object.assign(signer, { notarizer: honest.notarizer })
      return old
    },
    "an altered statement": async (signer, nonce) => {
      const { statement, signature } = await StubSigner.prototype.probe.call(signer, nonce)
      return create(ProbeResponseSchema, { statement: Buffer.concat([statement, statement]), signature })
    },
    "no signature": async (signer, nonce) => {
      const { statement } = await StubSigner.prototype.probe.call(signer, nonce)
      return create(ProbeResponseSchema, { statement })
    },
    nothing: async () => create(ProbeResponseSchema, {}),
  }
  for (const [name, forge] of Object.entries(forgeries)) {
    const signer = new StubSigner()
    signer.probe = (nonce) => forge(signer, nonce)
    t.match(
      await readyz(t, signer),
      { status: 503, json: { ready: false, signer: "wrong signature", database: "ok" } },
      name,
    )
  }
})

t.test("pins without a usable key prove nothing", async (t) => {
  const stranger = generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey
  const { x = "" } = stranger.export({ format: "jwk" })
  const abscissa = Buffer.from(x, "base64url").toString("hex")
  for (const notarizerPublicKey of ["", "04", `04${abscissa}${abscissa}`.repeat(2)]) {
    const signer = new StubSigner()
    signer.getPins = async () => create(GetPinsResponseSchema, { pins: { notarizerPublicKey } })
    t.match(await readyz(t, signer), { status: 503, json: { ready: false, signer: "wrong signature" } })
  }
  const signer = new StubSigner()
  signer.getPins = async () => create(GetPinsResponseSchema, {})
  t.match(await readyz(t, signer), { status: 503, json: { signer: "wrong signature" } })
})
