/** A process's statement about itself at its start. */
export type BootManifest = {
  /** Id in the pins. */
  deploymentId: string
  /** SHA-256 of the serialized pins, lower-case hexadecimal. */
  pinsDigest: string
  /** Name and version of the release. */
  release: string
  /** SHA-256, over the bytes in docs/formats/app-proofs.md. */
  codeDigest: string
  /** SHA-256, over the bytes in docs/formats/app-proofs.md. */
  configurationDigest: string
  /** Public form of the key set that signs this process's app proofs. */
  ephemeralPublicKey: string
  /** Unix time, milliseconds. */
  bootedAtMs: number
  /** Kind of the host's attestation; "none": it gives none. */
  attestation: string
}

/** A manifest with its approvals. Bytes in base64. */
export type BootEnvelope = {
  manifest: string
  approvals: { by: "notarizer"; publicKey: string; signature: string }[]
  attestation: { kind: string; document: string }
}

/** Name of the manifest's form, also a member of the boot proof. */
export const MANIFEST_VERSION = "countersign/v1"

/** Domain tag of the notarizer's signature of a manifest. */
export const MANIFEST_TAG = "countersign/v1/boot-manifest"

/** The only program that makes app proofs. */
export const APP = "signer"

/** JSON text of a manifest. Its UTF-8 bytes are signed and stored, and never serialized again. */
export function manifestText(manifest: BootManifest): string {
  return JSON.stringify({
    version: MANIFEST_VERSION,
    app: APP,
    deploymentId: manifest.deploymentId,
    pinsDigest: manifest.pinsDigest,
    release: manifest.release,
    codeDigest: manifest.codeDigest,
    configurationDigest: manifest.configurationDigest,
    ephemeralPublicKey: manifest.ephemeralPublicKey,
    bootedAtMs: String(manifest.bootedAtMs),
    attestation: manifest.attestation,
  })
}
