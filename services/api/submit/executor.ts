import type { Outcome, Refused } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { SignedFetchOrder } from "../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { RefusalCode } from "../../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import { unavailable } from "../errors.ts"
import type { Fetcher } from "../signer/fetcher.ts"
import type { Organizations } from "../authentication/organization-store.ts"
import type { OrderParts, Signer } from "../signer/signer.ts"
import type { Database } from "../store/database.ts"
import { getRecordsById } from "../store/records.ts"

/** A stamped body on its way to the signer, and whose it is. */
export type PlainOrder = Pick<OrderParts, "body" | "xStamp" | "xStampWebauthn"> & { organizationId: string }
export type Decided = { outcome: Outcome } | { refused: Refused }

/** How a database that lags behind the signer's ledger catches up; each way goes further than the one before. */
export type Healing = {
  /** Takes what the signer has not been told is stored. */
  recover(organizationId: string): Promise<void>
  /** Takes the signer's own copy of everything. */
  restore(organizationId: string): Promise<void>
  /** Takes the signer's own copy of one session. False: it knows none. */
  restoreSession(organizationId: string, publicKey: string): Promise<boolean>
}

export type ExecutorDeps = {
  signer: Signer
  fetcher: Pick<Fetcher, "fetch">
  sql: Database
  organizations: Organizations
  healing: Healing
}

/** How often one order is sent again with what the signer asked for: document, records, and statements. */
const MAX_ROUNDS = 5

/** These say that the database is older than the ledger, or has lost something. */
const BEHIND: ReadonlySet<RefusalCode> = new Set([
  RefusalCode.DOCUMENT_ROLLED_BACK,
  RefusalCode.RECORD_ROLLED_BACK,
  RefusalCode.CONTEXT_MISSING,
])

/** Has orders decided: sends them bare, and again with whatever context the signer lacks. */
export class Executor {
  readonly #deps: ExecutorDeps

  constructor(deps: ExecutorDeps) {
    this.#deps = deps
  }

  async execute(order: PlainOrder): Promise<Decided> {
    const decided = await this.#supply(order)
    return isBehind(decided) ? this.#heal(order, decided) : decided
  }

  async #heal(order: PlainOrder, refused: Decided): Promise<Decided> {
    const { organizations, healing } = this.#deps
    const inFamily = async (cure: (id: string) => Promise<unknown>) => {
      for (const id of await this.#family(order)) await cure(id)
    }
    const cures = [
      () => inFamily((id) => organizations.refresh(id)),
      () => inFamily((id) => healing.recover(id)),
      () => inFamily((id) => healing.restore(id)),
    ]
    let decided = refused
    for (const cure of cures) {
      await cure()
      decided = await this.#supply(order)
      if (!isBehind(decided)) break
    }
    return decided
  }

  /** The organization of the order and its parent: either may be what the database has an older version of. */
  async #family({ organizationId }: PlainOrder): Promise<string[]> {
    const known = await this.#deps.organizations.get(organizationId)
    const parentId = known?.document.parentId ?? ""
    return parentId === "" ? [organizationId] : [organizationId, parentId]
  }

  /** The signer usually holds what it needs; where it does not, it says what. */
  async #supply({ organizationId, ...stamped }: PlainOrder): Promise<Decided> {
    let order: OrderParts = { ...stamped, documents: [], records: [], fetched: [] }
    for (let round = 0; round <= MAX_ROUNDS; round++) {
      const answer = await this.#deps.signer.execute(order)
      switch (answer.case) {
        case "outcome":
          return { outcome: answer.value }
        case "refused":
          return { refused: answer.value }
        case "needed": {
          const documents = await this.#documents(answer.value.documents)
          const records = await this.#records(
            answer.value.organizationId || organizationId,
            answer.value.recordIds,
          )
          order = {
            ...order,
            documents: [...order.documents, ...documents],
            records: records.length > 0 ? records : order.records,
            fetched: [...order.fetched, ...(await this.#fetched(answer.value.fetchOrders))],
          }
          break
        }
        case undefined:
          throw unavailable("the signer gave an answer that this release does not know")
        default:
          answer satisfies never
      }
    }
    return { refused: contextMissing() }
  }

  /** Relays the signer's orders to the fetcher, and brings its statements back. */
  async #fetched(orders: readonly SignedFetchOrder[]): Promise<OrderParts["fetched"]> {
    return Promise.all(orders.map((order) => this.#deps.fetcher.fetch(order)))
  }

  async #documents(names: readonly { organizationId: string; version: bigint }[]): Promise<Uint8Array[]> {
    const { organizations } = this.#deps
    const found = await Promise.all(
      names.map(async ({ organizationId, version }) => {
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

function isBehind(decided: Decided): boolean {
  return "refused" in decided && BEHIND.has(decided.refused.code)
}

function contextMissing(): Refused {
  return {
    $typeName: "countersign.signer.v1.Refused",
    code: RefusalCode.CONTEXT_MISSING,
    sentence: "the service could not gather what the request concerns; send the same body again",
    field: "",
    appProofs: [],
    organizationId: "",
  }
}
