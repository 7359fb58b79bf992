/**
 * What a host can say about the code that it runs: an AWS Nitro enclave, a TPM, another trusted execution
 * environment. One provider for each kind.
 */
export type AttestationProvider = {
  /** Names the kind of document; it stands in the manifest before anything is attested. */
  readonly kind: string
  /**
   * A document of the host that covers the manifest's digest and the ephemeral public key; undefined where the
   * kind has no documents.
   *
   * @param manifestDigest SHA-256 of the manifest, 32 bytes
   * @param publicKey 130 bytes
   */
  attest(manifestDigest: Uint8Array, publicKey: Uint8Array): Promise<Uint8Array | undefined>
}

/** A host that can say nothing: then the manifest is the process's own word, and verifiers are told so. */
export const noAttestation: AttestationProvider = { kind: "none", attest: async () => undefined }
