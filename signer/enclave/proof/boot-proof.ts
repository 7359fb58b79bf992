import { createHash } from "node:crypto"
import type { BootEnvelope, BootManifest } from "../../core/proof/boot-manifest.ts"
import { APP, MANIFEST_TAG, MANIFEST_VERSION, manifestText } from "../../core/proof/boot-manifest.ts"

/** A boot proof in the shape of the public API; members that do not apply are empty. */
export type BootProofParts = {
  ephemeralPublicKeyHex: string
  awsAttestationDocB64: string
  qosManifestB64: string
  qosManifestEnvelopeB64: string
  deploymentLabel: string
  enclaveApp: string
  owner: string
  createdAt: { seconds: string; nanos: string }
  qosManifestVersion: string
}

/** Signs the manifest with a key that clients have pinned. */
export type Approver = {
  /** 130 hexadecimal digits. */
  publicKey: string
  sign(tag: string, bytes: Uint8Array): Uint8Array
}

/** The kind whose documents have their own member in the public API. */
const AWS_NITRO = "aws-nitro"

export async function createBootProof(
  manifest: Omit<BootManifest, "attestation">,
  approver: Approver,
  provider: AttestationProvider,
): Promise<BootProofParts> {
  const bytes = Buffer.from(manifestText({ ...manifest, attestation: provider.kind }))
  const digest = createHash("sha256").update(bytes).digest()
  const attested = await provider.attest(digest, Buffer.from(manifest.ephemeralPublicKey, "hex"))
  const document = base64(attested ?? new Uint8Array(0))
  const signature = Buffer.from(approver.sign(MANIFEST_TAG, bytes)).toString("hex")
  const envelope: BootEnvelope = {
    manifest: base64(bytes),
    approvals: [{ by: "notarizer", publicKey: approver.publicKey, signature }],
    attestation: { kind: provider.kind, document },
  }
  const { bootedAtMs, deploymentId, ephemeralPublicKey, release } = manifest
  return {
    ephemeralPublicKeyHex: ephemeralPublicKey,
    awsAttestationDocB64: provider.kind === AWS_NITRO ? document : "",
    qosManifestB64: envelope.manifest,
    qosManifestEnvelopeB64: base64(Buffer.from(JSON.stringify(envelope))),
    deploymentLabel: release,
    enclaveApp: APP,
    owner: deploymentId,
    createdAt: {
      seconds: String(Math.floor(bootedAtMs / 1000)),
      nanos: String((bootedAtMs % 1000) * 1_000_000),
    },
    qosManifestVersion: MANIFEST_VERSION,
  }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64")
}

/** A source of attestation documents of the host: an AWS Nitro enclave, a TPM, another trusted execution environment. */
export type AttestationProvider = {
  /** The kind of document, which the manifest names before it is attested. */
  readonly kind: string
  /**
   * A document of the host over the manifest's digest and the ephemeral public key; undefined for a kind without
   * documents.
   * @param manifestDigest SHA-256 of the manifest, 32 bytes
   * @param publicKey 130 bytes
   */
  attest(manifestDigest: Uint8Array, publicKey: Uint8Array): Promise<Uint8Array | undefined>
}

/** A host without attestation: the process alone vouches for its manifest, and verifiers report that. */
export const noAttestation: AttestationProvider = { kind: "none", attest: async () => undefined }
