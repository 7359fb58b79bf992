import type { SignedFetchOrder } from "../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { RefusalCode } from "../../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import type { NeededFill, Outcome, Refused } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { OrganizationStore } from "../authentication/organization-store.ts"
import { inSpan } from "../../common/tracing/tracer.ts"
import { unavailable } from "../errors.ts"
import type { FetcherClient } from "../signer/fetcher.ts"
import type { LedgerSync } from "../signer/ledger-sync.ts"
import type { OrderParts, Signer } from "../signer/signer.ts"
import type { Sending } from "../sending/sender.ts"
import type { Database } from "../../database/database.ts"
import { getRecordsById } from "../store/records.ts"

/** A stamped body and the organization that it names. */
type StampedOrder = Omit<OrderParts, "documents" | "records" | "fetched" | "fill"> & {
  organizationId: string
  /** Fills the values that the caller of a send left open. */
  sending: Pick<Sending, "fill">
  /** Address of the end user; "" if it is unknown. */
  clientAddress: () => string
}
type OrderResult = { outcome: Outcome } | { refused: Refused }

type OrderDispatcherDeps = {
  signer: Signer
  fetcher: Pick<FetcherClient, "fetch">
  sql: Database
  organizations: OrganizationStore
  ledgerSync: Pick<LedgerSync, "recover" | "restore">
}

/** Limit on repeating an order with the documents, records and statements that the signer asked for. */
const MAX_ROUNDS = 5

/** Refusals that mean: the database is older than the ledger, or has lost something. */
const DATABASE_BEHIND_CODES: ReadonlySet<RefusalCode> = new Set([
  RefusalCode.DOCUMENT_ROLLED_BACK,
  RefusalCode.RECORD_ROLLED_BACK,
  RefusalCode.CONTEXT_MISSING,
])

function fillIn(sending: Pick<Sending, "fill">, fill: NeededFill, organizationId: string) {
  return inSpan("ask nodes of the chain", () => sending.fill(fill, organizationId), "client")
}

/** Sends orders to the signer: first without context, then with the context that the signer asks for. */
export class OrderDispatcher {
  readonly #deps: OrderDispatcherDeps

  constructor(deps: OrderDispatcherDeps) {
    this.#deps = deps
  }

  /** If the database is behind the ledger, it is brought up to date and the order is repeated. */
  async dispatch(order: StampedOrder): Promise<OrderResult> {
    const { organizations, ledgerSync } = this.#deps
    let result = await this.#send(order)
    if (isUnknown(result)) result = await this.#sendWithDocument(order, result)
    if (!isBehind(result)) return result
    // Each way to catch up with the ledger costs more and restores more than the one before.
    const ways = [
      (id: string) => organizations.refresh(id),
      (id: string) => ledgerSync.recover(id),
      (id: string) => ledgerSync.restore(id).then(() => organizations.refresh(id)),
    ]
    for (const catchUp of ways) {
      for (const id of await this.#withParent(order)) await catchUp(id)
      result = await this.#send(order)
      if (!isBehind(result)) break
    }
    return result
  }

  /** Ids of the order's organization and of its parent: the database may have an older version of either. */
  async #withParent({ organizationId }: StampedOrder): Promise<string[]> {
    const known = await this.#deps.organizations.get(organizationId)
    const parentId = known?.document.parentId ?? ""
    return parentId === "" ? [organizationId] : [organizationId, parentId]
  }

  /** An organization that only the database knows: its document shows the signer that the ledger is older. */
  async #sendWithDocument(order: StampedOrder, unknown: OrderResult): Promise<OrderResult> {
    const known = await this.#deps.organizations.get(order.organizationId)
    return known === undefined ? unknown : this.#send(order, [known.notarized])
  }

  /** Usually the signer has all context in memory; otherwise its answer says what it needs. */
  async #send(
    { organizationId, sending, clientAddress, ...stamped }: StampedOrder,
    shown: readonly Uint8Array[] = [],
  ): Promise<OrderResult> {
    let order: OrderParts = { ...stamped, documents: [...shown], records: [], fetched: [] }
    for (let round = 0; round <= MAX_ROUNDS; round++) {
      const answer = await this.#deps.signer.execute(order)
      switch (answer.case) {
        case "outcome":
          return { outcome: answer.value }
        case "refused":
          return { refused: answer.value }
        case "needed": {
          const needed = answer.value
          const documents = await this.#documents(needed.documents)
          const records = await this.#records(needed.organizationId || organizationId, needed.recordIds)
          order = {
            ...order,
            documents: [...order.documents, ...documents],
            records: records.length > 0 ? records : order.records,
            fetched: [...order.fetched, ...(await this.#fetched(needed.fetchOrders, clientAddress))],
            ...(needed.fill && {
              fill: await fillIn(sending, needed.fill, needed.organizationId || organizationId),
            }),
          }
          break
        }
        case undefined:
          throw unavailable("the signer sent an answer of an unknown kind")
        default:
          answer satisfies never
      }
    }
    return { refused: contextMissing() }
  }

  /** Relays the signer's orders to the fetcher and returns the fetcher's statements. */
  async #fetched(
    orders: readonly SignedFetchOrder[],
    clientAddress: () => string,
  ): Promise<OrderParts["fetched"]> {
    return Promise.all(orders.map((order) => this.#deps.fetcher.fetch(order, clientAddress())))
  }

  async #documents(versions: readonly { organizationId: string; version: bigint }[]): Promise<Uint8Array[]> {
    const { organizations } = this.#deps
    const found = await Promise.all(
      versions.map(async ({ organizationId, version }) => {
        const known = await organizations.get(organizationId)
        return known && known.version >= version ? known : organizations.refresh(organizationId)
      }),
    )
    return found.flatMap((organization) => organization?.notarized ?? [])
  }

  async #records(organizationId: string, ids: string[]): Promise<Uint8Array[]> {
    if (ids.length === 0) return []
    const rows = await getRecordsById(this.#deps.sql, organizationId, ids)
    return rows.map(({ bytes }) => bytes)
  }
}

function isBehind(result: OrderResult): boolean {
  return "refused" in result && DATABASE_BEHIND_CODES.has(result.refused.code)
}

function isUnknown(result: OrderResult): boolean {
  return "refused" in result && result.refused.code === RefusalCode.ORGANIZATION_UNKNOWN
}

function contextMissing(): Refused {
  return {
    $typeName: "countersign.signer.v1.Refused",
    code: RefusalCode.CONTEXT_MISSING,
    sentence: "the service could not load all records that the request needs; send the same body again",
    field: "",
    appProofs: [],
    organizationId: "",
    exceededControls: [],
  }
}
