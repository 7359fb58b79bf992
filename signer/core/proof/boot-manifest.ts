/** What a process states about itself when it begins. */
export type BootManifest = {
  /** Id in the pins. */
  deploymentId: string
  /** SHA-256 of the serialized pins, lower-case hexadecimal. */
  pinsDigest: string
  /** Name and version of the release. */
  release: string
  /** docs/formats/app-proofs.md says over what. */
  codeDigest: string
  /** docs/formats/app-proofs.md says over what. */
  configurationDigest: string
  /** Public form of the key set that signs this process's app proofs. */
  ephemeralPublicKey: string
  /** Unix time, milliseconds. */
  bootedAtMs: number
  /** Which attestation the host gives; "none" where it has none. */
  attestation: string
}

/** A manifest with who vouches for it. Bytes in base64. */
export type BootEnvelope = {
  manifest: string
  approvals: { by: "notarizer"; publicKey: string; signature: string }[]
  attestation: { kind: string; document: string }
}

/** Name of the manifest's form, which stands in the boot proof as well. */
export const MANIFEST_VERSION = "countersign/v1"

/** What the notarizer's signature of a manifest begins with. */
export const MANIFEST_TAG = "countersign/v1/boot-manifest"

/** The only program that makes app proofs. */
export const APP = "signer"

/** JSON text of a manifest; its UTF-8 bytes are what is signed, and nobody writes it anew. */
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
