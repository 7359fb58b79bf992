/** Secrets of one release, with their expected contents. Bytes in hex. Made by make-secrets.ts. */
export type GoldenSecrets = {
  /** Root seed of a deployment made for this file only. */
  dangerouslyRevealedSeed: string
  organizationId: string
  userId: string
  /** `name`: empty for a secret without one. */
  secrets: { record: string; name: string; properties: { [key: string]: string }; content: string }[]
  /** The ledger's row of the user, with the points of its keys: used ones, and those that are left. */
  importTargets: { row: string; spent: string[]; targets: string[] }
}
