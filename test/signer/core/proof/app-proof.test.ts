import { createHash, createPublicKey, verify } from "node:crypto"
import { verifyAppProofSignature } from "@turnkey/crypto"
import t from "tap"
import { openKeySet } from "../../../../signer/core/crypto/keyset.ts"
import { Secret } from "../../../../signer/core/crypto/secret.ts"
import { addressPayload, openProver, outcomePayload } from "../../../../signer/core/proof/app-proof.ts"
import { createBootProof, noAttestation } from "../../../../signer/enclave/proof/boot-proof.ts"
import {
  type DecisionContext,
  decisionContextDigest,
} from "../../../../signer/core/proof/decision-context.ts"
import { ownVectors } from "../../../harness/vectors.ts"

type Vectors = {
  published: Parameters<typeof verifyAppProofSignature>[0][]
  seed: string
  publicKey: string
  context: Omit<DecisionContext, "fingerprint" | "result"> & { fingerprint: string; result: string | null }
  contextDigest: string
  emptyContextDigest: string
  address: {
    statement: Parameters<typeof addressPayload>[0]
    timestampMs: number
    payload: string
    signature: string
  }
  outcome: {
    statement: Parameters<typeof outcomePayload>[0]
    timestampMs: number
    payload: string
    signature: string
  }
  manifest: Parameters<typeof createBootProof>[0]
  manifestText: string
}

const vectors = ownVectors<Vectors>("app-proofs")
const keySet = openKeySet(Secret.copyOf(Buffer.from(vectors.seed, "hex")))
const context: DecisionContext = {
  ...vectors.context,
  fingerprint: Buffer.from(vectors.context.fingerprint, "hex"),
  result: vectors.context.result === null ? undefined : Buffer.from(vectors.context.result, "hex"),
}

t.test("payloads are written as they are kept in golden vectors", async (t) => {
  const { address, outcome } = vectors
  t.equal(addressPayload(address.statement, address.timestampMs), address.payload)
  t.equal(outcomePayload(outcome.statement, outcome.timestampMs), outcome.payload)
})

t.test("golden proofs verify, and a proof made now as well", async (t) => {
  const { publicKey, sign } = openProver(keySet)
  t.equal(publicKey, vectors.publicKey)
  for (const { payload: proofPayload, signature } of [vectors.address, vectors.outcome]) {
    const scheme = "SIGNATURE_SCHEME_EPHEMERAL_KEY_P256" as const
    t.doesNotThrow(() => verifyAppProofSignature({ scheme, publicKey, proofPayload, signature }))
    t.doesNotThrow(() => verifyAppProofSignature(sign(proofPayload)))
    t.throws(() => verifyAppProofSignature({ ...sign(proofPayload), proofPayload: `${proofPayload} ` }))
  }
})

t.test("an address without wallet and path is written without these members", async (t) => {
  t.equal(
    addressPayload({ organizationId: "o", address: "a" }, 1),
    '{"type":"APP_PROOF_TYPE_ADDRESS_DERIVATION","timestampMs":"1","addressDerivationProof":{"organizationId":"o","address":"a"}}',
  )
})

t.test("the digest of a decision's context is the golden one", async (t) => {
  t.equal(decisionContextDigest(context), vectors.contextDigest)
  t.equal(
    decisionContextDigest({ ...context, result: undefined, approverIds: [] }),
    vectors.emptyContextDigest,
  )
})

t.test("the digest covers each part, and where one ends and the next begins", async (t) => {
  const digests = [
    context,
    { ...context, organizationId: "other" },
    { ...context, activityId: "other" },
    { ...context, activityType: "other" },
    { ...context, fingerprint: new Uint8Array(32) },
    { ...context, submitterId: "other" },
    { ...context, result: Buffer.from("other") },
    { ...context, result: undefined },
    { ...context, result: new Uint8Array(0) },
    { ...context, approverIds: [] },
    { ...context, approverIds: context.approverIds.toReversed() },
    { ...context, approverIds: [context.approverIds.join("")] },
  ].map(decisionContextDigest)
  t.equal(new Set(digests).size, digests.length)
})

t.test("the boot proof holds the golden manifest, signed with its tag, and nothing about AWS", async (t) => {
  const approver = openKeySet(Secret.copyOf(Buffer.alloc(32, 9)))
  const signed: { tag: string; bytes: Buffer }[] = []
  const sign = (tag: string, bytes: Uint8Array) => {
    signed.push({ tag, bytes: Buffer.from(bytes) })
    return new Uint8Array(64).fill(5)
  }
  const publicKey = approver.publicHex.slice(-130)
  const proof = await createBootProof(vectors.manifest, { publicKey, sign }, noAttestation)
  t.equal(Buffer.from(proof.qosManifestB64, "base64").toString(), vectors.manifestText)
  t.match(signed, [{ tag: "countersign/v1/boot-manifest" }])
  t.equal(signed[0]?.bytes.toString(), vectors.manifestText)
  t.same(JSON.parse(Buffer.from(proof.qosManifestEnvelopeB64, "base64").toString()), {
    manifest: proof.qosManifestB64,
    approvals: [{ by: "notarizer", publicKey, signature: "05".repeat(64) }],
    attestation: { kind: "none", document: "" },
  })
  t.match(proof, {
    awsAttestationDocB64: "",
    enclaveApp: "signer",
    owner: vectors.manifest.deploymentId,
    createdAt: { seconds: "1767225600", nanos: "123000000" },
  })
})

t.test(
  "a host's attestation covers the manifest and the key, and only Nitro's stands in the member of AWS",
  async (t) => {
    const approver = { publicKey: "", sign: () => new Uint8Array(64) }
    const asked: [string, string][] = []
    const provider = (kind: string) => ({
      kind,
      attest: async (digest: Uint8Array, key: Uint8Array) => {
        asked.push([Buffer.from(digest).toString("hex"), Buffer.from(key).toString("hex")])
        return Buffer.from("document")
      },
    })
    const tpm = await createBootProof(vectors.manifest, approver, provider("tpm"))
    const nitro = await createBootProof(vectors.manifest, approver, provider("aws-nitro"))
    const document = Buffer.from("document").toString("base64")
    t.equal(tpm.awsAttestationDocB64, "")
    t.equal(nitro.awsAttestationDocB64, document)
    const envelope = JSON.parse(Buffer.from(tpm.qosManifestEnvelopeB64, "base64").toString()) as object
    t.match(envelope, { attestation: { kind: "tpm", document } })
    const manifest = Buffer.from(tpm.qosManifestB64, "base64")
    t.match(JSON.parse(manifest.toString()), { attestation: "tpm" })
    t.same(asked[0], [
      createHash("sha256").update(manifest).digest("hex"),
      vectors.manifest.ephemeralPublicKey,
    ])
  },
)

t.test("proofs of a published service verify in the same way", async (t) => {
  for (const { publicKey, proofPayload, signature } of vectors.published) {
    const point = Buffer.from(publicKey, "hex").subarray(65)
    const key = createPublicKey({
      key: {
        kty: "EC",
        crv: "P-256",
        x: point.subarray(1, 33).toString("base64url"),
        y: point.subarray(33).toString("base64url"),
      },
      format: "jwk",
    })
    const form = { key, dsaEncoding: "ieee-p1363" } as const
    t.ok(verify("sha256", Buffer.from(proofPayload), form, Buffer.from(signature, "hex")))
  }
})
