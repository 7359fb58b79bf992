/**
 * Thrown when the order lacks context that the signer does not hold: no refusal, the caller is told what to
 * send. Nothing was decided and nothing written.
 */
export class ContextNeeded extends Error {
  readonly documentVersion: bigint | undefined
  readonly recordIds: readonly string[]

  constructor(needs: { documentVersion?: bigint; recordIds?: readonly string[] }) {
    super("the order lacks context")
    this.name = "ContextNeeded"
    this.documentVersion = needs.documentVersion
    this.recordIds = needs.recordIds ?? []
  }
}
