import type { SignedFetchOrder } from "../../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"

/** A document that the order must bring. */
export type DocumentNeed = { organizationId: string; version: bigint }

/**
 * Thrown when the order lacks context that the signer does not hold: no refusal, the caller is told what to
 * send. Nothing was decided and nothing written.
 */
export class ContextNeeded extends Error {
  readonly document: DocumentNeed | undefined
  /** Ids of records, all of `organizationId`. */
  readonly recordIds: readonly string[]
  readonly organizationId: string
  /** Orders that the fetcher has to carry out. */
  readonly fetchOrders: readonly SignedFetchOrder[]

  constructor(
    needs:
      | { document: DocumentNeed }
      | { organizationId: string; recordIds: readonly string[] }
      | { organizationId: string; fetchOrders: readonly SignedFetchOrder[] },
  ) {
    super("the order lacks context")
    this.name = "ContextNeeded"
    this.document = "document" in needs ? needs.document : undefined
    this.recordIds = "recordIds" in needs ? needs.recordIds : []
    this.fetchOrders = "fetchOrders" in needs ? needs.fetchOrders : []
    this.organizationId = "document" in needs ? needs.document.organizationId : needs.organizationId
  }
}
