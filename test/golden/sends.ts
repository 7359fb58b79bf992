/** A signer's data directory after sponsored sends, with the API tier's side of it. Made by make-sends.ts. */
export type GoldenSends = {
  /** Root seed and ledger by path below `signer/`, as gzip in base64: a deployment that never served anybody. */
  dangerouslyRevealedFiles: { [path: string]: string }
  /** Time of the signer's clock when it stopped. */
  nowMs: number
  organizationId: string
  /** Private key of the root user, as PEM. */
  root: string
  /** Notarized documents by organization id, in hex. */
  documents: { [organizationId: string]: string }
  /** Records by id, in hex. */
  records: { [id: string]: string }
  /** Ethereum address of the organization's wallet, which sends. */
  address: string
  gasUsageConfigId: string
  /** Millionths of a US dollar: the organization's limit, and its costs in the present window. */
  limitMicroUsd: string
  usedMicroUsd: string
  /** A sponsored send whose outcome was not acknowledged, and the transaction that it signed, in hex. */
  unacknowledgedBody: string
  raw: string
}
