/** A signer's data directory as a release left it, with the API tier's side of it. Made by make-state.ts. */
export type GoldenState = {
  /** Root seed and ledger by path below `signer/`, as gzip in base64: a deployment that never served anybody. */
  dangerouslyRevealedFiles: { [path: string]: string }
  /** Time of the signer's clock when it stopped. */
  nowMs: number
  organizationId: string
  rootUserId: string
  /** Private keys as PEM. gus was deleted; dan opened the session. */
  keys: { root: string; dan: string; eva: string; gus: string; session: string }
  /** Notarized documents by organization id, in hex. */
  documents: { [organizationId: string]: string }
  /** Records by id, in hex. */
  records: { [id: string]: string }
  /** Document of the organization before gus was deleted, in hex. */
  olderDocument: string
  /** Ethereum address of the organization's wallet. */
  address: string
  /** Signature of `signParams(address)`: deterministic, so every release returns the same. */
  signature: { r: string; s: string; v: string }
  subOrganization: { organizationId: string; address: string }
  acknowledgedBody: string
  unacknowledgedBody: string
  unacknowledgedWalletId: string
  /** A wallet's creation, submitted by dan, that completes with eva's approval. */
  pendingBody: string
}
