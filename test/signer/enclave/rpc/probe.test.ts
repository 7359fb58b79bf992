import { createPublicKey, verify } from "node:crypto"
import { create, fromBinary } from "@bufbuild/protobuf"
import t from "tap"
import {
  ProbeRequestSchema,
  ProbeStatementSchema,
} from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { InProcessBoundary } from "../../../harness/boundary.ts"
import { signerHandlers } from "../../../../signer/enclave/rpc/index.ts"

const { getPins, probe } = signerHandlers

/** Tags of what else the notarizer signs. */
const OTHER_TAGS = ["document", "receipt", "organization-head", "fetch-order"]

t.test("a signer without any organization signs a nonce with the key of its pins", async (t) => {
  const boundary = new InProcessBoundary()
  t.teardown(() => boundary.close())
  const { signer } = boundary
  const nonce = Buffer.from("0123456789abcdef")
  const { statement, signature } = await probe(create(ProbeRequestSchema, { nonce }), signer)

  const { pins } = await getPins({}, signer)
  const [x, y] = [coordinate(pins.notarizerPublicKey, -128, -64), coordinate(pins.notarizerPublicKey, -64)]
  const key = createPublicKey({ key: { kty: "EC", crv: "P-256", x, y }, format: "jwk" })
  const isSigned = (name: string) =>
    verify(
      "sha256",
      Buffer.concat([Buffer.from(`countersign/v1/${name}\0`), statement]),
      { key, dsaEncoding: "ieee-p1363" },
      signature,
    )
  t.ok(isSigned("probe"))
  for (const name of OTHER_TAGS) t.notOk(isSigned(name), `is no ${name}`)

  const message = fromBinary(ProbeStatementSchema, statement)
  t.same(Buffer.from(message.nonce), nonce)
  t.equal(Number(message.statedAtMs), boundary.clock.wallMs())
})

t.test("a nonce under 16 or over 64 bytes is refused", async (t) => {
  const boundary = new InProcessBoundary()
  t.teardown(() => boundary.close())
  const ask = (length: number) =>
    probe(create(ProbeRequestSchema, { nonce: new Uint8Array(length) }), boundary.signer)
  for (const length of [0, 15, 65, 1_000_000]) {
    await t.rejects(ask(length), { code: "REQUEST_INVALID", field: "nonce" }, `${length} bytes`)
  }
  for (const length of [16, 64]) await t.resolves(ask(length), `${length} bytes`)
})

t.test("a signer whose ledger has no room says so", async (t) => {
  const boundary = new InProcessBoundary()
  t.teardown(() => boundary.close())
  const { signer } = boundary
  const state = signer.state()
  const full = { ...signer, state: () => ({ ...state, ledger: { ...state.ledger, isFull: () => true } }) }
  const request = create(ProbeRequestSchema, { nonce: new Uint8Array(16) })
  await t.resolves(probe(request, signer))
  await t.rejects(probe(request, full), { code: "LEDGER_FULL" })
})

function coordinate(keySetHex: string, from: number, to?: number): string {
  return Buffer.from(keySetHex.slice(from, to), "hex").toString("base64url")
}
