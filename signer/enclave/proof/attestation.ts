/** A source of attestation documents of the host: an AWS Nitro enclave, a TPM, another trusted execution environment. */
export type AttestationProvider = {
  /** The kind of document, which the manifest names before it is attested. */
  readonly kind: string
  /**
   * A document of the host over the manifest's digest and the ephemeral public key; undefined for a kind without
   * documents.
   *
   * @param manifestDigest SHA-256 of the manifest, 32 bytes
   * @param publicKey 130 bytes
   */
  attest(manifestDigest: Uint8Array, publicKey: Uint8Array): Promise<Uint8Array | undefined>
}

/** A host without attestation: the process alone vouches for its manifest, and verifiers report that. */
export const noAttestation: AttestationProvider = { kind: "none", attest: async () => undefined }
