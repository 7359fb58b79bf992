// Every member of a boot proof, altered: by the API tier where it is unsigned, by the signer itself where it is signed.
import t from "tap"
import { create } from "@bufbuild/protobuf"
import { BootProofSchema } from "../../proto/gen/countersign/api/v1/resources_pb.ts"
import { PinsSchema } from "../../proto/gen/countersign/state/v1/setup_pb.ts"
import { MANIFEST_TAG } from "../../signer/core/proof/boot-manifest.ts"
import type { Evidence } from "../../signer/core/proof/verify/index.ts"
import { faultsOf, sentencesOf, setup, wallet, WALLET, verifiers } from "./proof-setup.ts"
import type { Json } from "./proven-fixture.ts"

const HOUR_MS = 60 * 60 * 1000

/** An honest boot proof, taken apart and put together again. Its manifest is signed by the deployment's notarizer. */
async function fixture(t: Parameters<typeof setup>[0]) {
  const { boundary, prove } = await setup(t)
  const evidence = await prove(WALLET, wallet())
  const [bootProof] = evidence.bootProofs as [Json]
  const manifest = parsed(bootProof["qosManifestB64"])
  const { notary, pins } = boundary.signer.state().keyring
  const signed = (manifestChange: Json, change: Json = {}, envelopeChange: Json = {}): Evidence => {
    const bytes = Buffer.from(JSON.stringify({ ...manifest, ...manifestChange }))
    const text = bytes.toString("base64")
    const signature = Buffer.from(notary.sign(MANIFEST_TAG, bytes)).toString("hex")
    const publicKey = pins.notarizerPublicKey.slice(-130)
    const envelope = {
      manifest: text,
      approvals: [{ by: "notarizer", publicKey, signature }],
      attestation: { kind: "none", document: "" },
      ...envelopeChange,
    }
    const qosManifestEnvelopeB64 = Buffer.from(JSON.stringify(envelope)).toString("base64")
    return {
      ...evidence,
      bootProofs: [{ ...bootProof, qosManifestB64: text, qosManifestEnvelopeB64, ...change }],
    }
  }
  return { evidence, bootProof, manifest, signed, pins }
}

t.test("P2: every member of a boot proof is compared, or named as not compared", async (t) => {
  const { evidence, bootProof, manifest, signed } = await fixture(t)
  t.strictSame(faultsOf(signed({})), [], "the unaltered twin")
  const members = BootProofSchema.fields.map(({ jsonName }) => jsonName)
  t.strictSame(Object.keys(bootProof).toSorted(), members.toSorted(), "a boot proof has all members")
  const noticed = (shown: Evidence, name: string, value: string) => {
    const names = sentencesOf(shown, "not-proven").join("\n")
    t.ok(faultsOf(shown).length > 0 || names.includes(value), name)
  }
  for (const name of members) {
    for (const value of ["forged-value", undefined, { seconds: "1", nanos: "0" }])
      t.not(faultsOf({ ...evidence, bootProofs: [{ ...bootProof, [name]: value }] }).length, 0, name)
  }
  for (const name of Object.keys(manifest)) noticed(signed({ [name]: "forged-value" }), name, "forged-value")
  noticed(signed({ more: 1 }), "an unknown member of the manifest", "member more of the manifest")
  noticed(signed({}, { more: 1 }), "an unknown member", "member more of the boot proof")
  noticed(signed({}, {}, { more: 1 }), "an unknown member of the envelope", "member more of the envelope")
  const digest = /which settings it ran with: it stated configuration digest [0-9a-f]{64}, which is not/
  t.match(sentencesOf(signed({}), "not-proven").join("\n"), digest)
})

t.test(
  "P2: an envelope with another approver or attestation than its manifest fails verification",
  async (t) => {
    const { signed, bootProof } = await fixture(t)
    const { approvals } = parsed(bootProof["qosManifestEnvelopeB64"]) as { approvals: [Json] }
    const [approval] = approvals
    const lies: [string, Json, RegExp][] = [
      ["another approver", { approvals: [{ ...approval, by: "operator" }] }, /names another key/],
      ["another key", { approvals: [{ ...approval, publicKey: "04" }] }, /names another key/],
      [
        "a document without a kind",
        { attestation: { kind: "none", document: "hEShATgi" } },
        /of another kind/,
      ],
      ["another kind", { attestation: { kind: "aws-nitro", document: "" } }, /of another kind/],
      ["no attestation", { attestation: undefined }, /of another kind/],
    ]
    t.strictSame(faultsOf(signed({}, {}, { approvals })), [], "the unaltered twin")
    for (const [name, lie, expected] of lies) t.match(faultsOf(signed({}, {}, lie)).join(), expected, name)
    const more = signed({}, {}, { approvals: [approval, { by: "operator" }] })
    t.strictSame(faultsOf(more), [])
    t.match(sentencesOf(more, "not-proven").join("\n"), /further approvals in the envelope/)
  },
)

t.test("P2: former pins serve the proofs of their time, and no later ones", async (t) => {
  const { evidence, pins, manifest } = await fixture(t)
  const paired = create(PinsSchema, { ...pins, fetcherPublicKey: pins.notarizerPublicKey })
  const bootedAtMs = Number(manifest["bootedAtMs"])
  const { proofPayload } = evidence.proofs[0]!
  const provenAtMs = Number((JSON.parse(proofPayload) as { timestampMs: string }).timestampMs)
  const under = (validUntilMs: number | undefined): Evidence => ({
    ...evidence,
    pins: paired,
    formerPins: [{ pins, validUntilMs }],
  })
  t.match(faultsOf({ ...evidence, pins: paired }).join(), /made under other pins than yours/, "without them")
  t.strictSame(faultsOf(under(provenAtMs + HOUR_MS)), [], "replaced later")
  t.strictSame(faultsOf(under(provenAtMs)), [], "replaced at that moment")
  t.match(sentencesOf(under(undefined), "proven").join("\n"), /as in your former pins/, "without an end")
  t.match(faultsOf(under(bootedAtMs - 1)).join(), /after your former pins of deployment .* ended/)
  t.match(faultsOf(under(provenAtMs - 1)).join(), /after your former pins of deployment .* ended/)
  t.ok(
    verifiers.verify({ ...evidence, formerPins: [{ pins: paired, validUntilMs: 0 }] }).verified,
    "not needed",
  )
})

function parsed(base64: unknown): Json {
  return JSON.parse(Buffer.from(String(base64), "base64").toString()) as Json
}

verifiers.compare(t)
