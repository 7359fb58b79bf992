import { fromBinary } from "@bufbuild/protobuf"
import { type Outcome, type RecoveredOutcome } from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { Needed, OrderAnswer } from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import {
  NotarizedDocumentSchema,
  OrganizationDocumentSchema,
} from "../../proto/gen/countersign/state/v1/document_pb.ts"
import { RecordSchema } from "../../proto/gen/countersign/state/v1/record_pb.ts"
import { nameOf } from "../harness/api-client.ts"
import type { Answered, Sent } from "./messages.ts"
import type { OrderInit } from "../harness/boundary.ts"
import type { LogAuditor } from "./log-auditor.ts"
import { withFlippedBit } from "./stored-bits.ts"
import { turns } from "./turns.ts"
import type { SimulatedSigner } from "./simulated-signer.ts"

/** How the tier answers the signer's first request for documents and records. It answers the next one honestly. */
export type Manner = "honest" | "older" | "of-another" | "altered" | "nothing"

type Kept = { version: bigint; owner: string; bytes: Uint8Array }

/** Refusals of supplied documents and records, after which an honest tier recovers the outcomes that it missed. */
const OF_CONTEXT = /^(?:DOCUMENT_|RECORD_|CONTEXT_MISSING$)/
const MAX_ROUNDS = 8
/** Turns after which an order of a signer that has ended counts as unanswered. */
const PATIENCE = 50

/** The untrusted tier: it has every earlier state, and shows the signer any of them. */
export class Tier {
  readonly #signer: SimulatedSigner
  readonly #auditor: LogAuditor
  readonly #documents = new Map<string, Kept[]>()
  readonly #records = new Map<string, Kept[]>()

  constructor(signer: SimulatedSigner, auditor: LogAuditor) {
    this.#signer = signer
    this.#auditor = auditor
  }

  /** The newest document of an organization. */
  document(organizationId: string) {
    const { document } = fromBinary(NotarizedDocumentSchema, this.notarized(organizationId))
    return fromBinary(OrganizationDocumentSchema, document)
  }

  /** The bytes of the newest document, as the signer signed it. */
  notarized(organizationId: string): Uint8Array {
    return this.#documents.get(organizationId)!.at(-1)!.bytes
  }

  /**
   * Sends an order until it is answered: an honest tier supplies the needed documents and records, recovers outcomes that it missed,
   * and sends an order again that found the disk full.
   * @param pick chooses among the states that could be shown
   */
  async deliver({ body, stamp }: Sent, manner: Manner, pick: (below: number) => number): Promise<Answered> {
    let shown = { documents: [] as Uint8Array[], records: [] as Uint8Array[] }
    let isHonest = manner === "honest"
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const answer = await this.#answer({ body: Buffer.from(body), ...stamp, ...shown })
      switch (answer?.case) {
        case undefined:
          return undefined
        case "needed": {
          if (isHonest) shown = { ...this.#join(shown, this.#honest(answer.value)) }
          else shown = this.#dishonest(answer.value, manner, pick)
          isHonest = true
          continue
        }
        case "refused": {
          const code = nameOf(answer.value.code)
          if (OF_CONTEXT.test(code)) {
            shown = { documents: [], records: [] }
            await this.recover()
          } else if (code !== "LEDGER_FULL") return answer
          continue
        }
        default:
          return answer
      }
    }
    throw new Error(`no outcome or refusal after ${MAX_ROUNDS} rounds`)
  }

  /**
   * Supplies what is needed, and alters one document or record of the kind. Returns the answer to that; undefined: the order was
   * answered without it.
   */
  async deliverAltered(
    { body, stamp }: Sent,
    kind: "document" | "record",
    { alter, pick }: { alter: (bytes: Uint8Array) => Uint8Array; pick: (below: number) => number },
  ): Promise<OrderAnswer["answer"] | undefined> {
    let shown = { documents: [] as Uint8Array[], records: [] as Uint8Array[] }
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const answer = await this.#answer({ body: Buffer.from(body), ...stamp, ...shown })
      if (answer?.case !== "needed") return undefined
      const { documents, records } = this.#honest(answer.value)
      const honest = kind === "document" ? documents : records
      shown = this.#join(shown, { documents, records })
      if (honest.length === 0) continue
      const at = pick(honest.length)
      const changed = honest.map((bytes, index) => (index === at ? alter(bytes) : bytes))
      const altered = kind === "document" ? { documents: changed } : { records: changed }
      return this.#answer({ body: Buffer.from(body), ...stamp, ...shown, ...altered })
    }
    throw new Error(`no outcome or refusal after ${MAX_ROUNDS} rounds`)
  }

  /** The newest records of an organization. */
  records(organizationId: string): Uint8Array[] {
    return [...this.#records.values()].flatMap((versions) => {
      const { owner, bytes } = versions.at(-1)!
      return owner === organizationId ? [bytes] : []
    })
  }

  /** One order with an organization's newest document, whether the signer asks for it or not. */
  async show(organizationId: string, { body, stamp }: Sent): Promise<Answered> {
    const documents = newest(this.#documents.get(organizationId))
    const answer = await this.#answer({ body: Buffer.from(body), ...stamp, documents, records: [] })
    return answer?.case === "outcome" || answer?.case === "refused" ? answer : undefined
  }

  /** Stores an outcome, in any order. */
  store({ organizationId, document, records, createdOrganizations }: Outcome): void {
    if (document.length > 0) this.#keepDocument(organizationId, document)
    for (const bytes of records) this.#keepRecord(bytes)
    for (const created of createdOrganizations) {
      this.#keepDocument(created.organizationId, created.document)
      for (const bytes of created.records) this.#keepRecord(bytes)
    }
  }

  /** Recovers and stores every outcome that was not acknowledged; none of a signer that has ended. */
  async recover(): Promise<RecoveredOutcome[]> {
    if (!this.#signer.isRunning) return []
    const found = this.#signer.phase === "stopping" ? [] : await this.#signer.recoverAll()
    for (const { outcome } of found) this.store(outcome!)
    return found
  }

  async #answer(order: OrderInit & { body: Uint8Array }): Promise<OrderAnswer["answer"] | undefined> {
    const signer = this.#signer
    if (!signer.isRunning) return undefined
    const answer = await this.#answerOf(order)
    if (answer === undefined) this.#auditor.noteUnanswered()
    else if (answer.case === "outcome" || answer.case === "refused")
      this.#auditor.answered(order.body, answer)
    return answer
  }

  async #answerOf(order: OrderInit): Promise<OrderAnswer["answer"] | undefined> {
    const signer = this.#signer
    const { starts } = signer
    // Code of a killed process goes on here, but its answers reach nobody.
    const hasEnded = () => !signer.isRunning || signer.starts !== starts
    const ended = new Promise<undefined>((resolve) =>
      signer.onEnd(() => void turns(PATIENCE).then(() => resolve(undefined))),
    )
    const answered = signer.execute(order).then(
      ({ answer }) => (hasEnded() ? ended : answer),
      (error: unknown) => {
        if (hasEnded()) return ended
        throw error
      },
    )
    return Promise.race([answered, ended])
  }

  #join(one: { documents: Uint8Array[]; records: Uint8Array[] }, other: typeof one) {
    return { documents: [...one.documents, ...other.documents], records: [...one.records, ...other.records] }
  }

  #honest({ documents, recordIds }: Needed) {
    return {
      documents: documents.flatMap(({ organizationId }) => newest(this.#documents.get(organizationId))),
      records: recordIds.flatMap((id) => newest(this.#records.get(id))),
    }
  }

  #dishonest({ documents, recordIds }: Needed, manner: Manner, pick: (below: number) => number) {
    const show = (all: Map<string, Kept[]>) => (id: string) => {
      const kept = all.get(id) ?? []
      const chosen = chosenBy(manner, kept, [...all.values()].flat(), pick)
      return chosen === undefined ? [] : [chosen]
    }
    return {
      documents: documents.flatMap(({ organizationId }) => show(this.#documents)(organizationId)),
      records: recordIds.flatMap(show(this.#records)),
    }
  }

  #keepDocument(organizationId: string, bytes: Uint8Array): void {
    const { version } = fromBinary(
      OrganizationDocumentSchema,
      fromBinary(NotarizedDocumentSchema, bytes).document,
    )
    keep(this.#documents, organizationId, { version, owner: organizationId, bytes })
  }

  #keepRecord(bytes: Uint8Array): void {
    const { id, version, organizationId } = fromBinary(RecordSchema, bytes)
    keep(this.#records, id, { version, owner: organizationId, bytes })
  }
}

const newest = (kept: readonly Kept[] | undefined) => kept?.slice(-1).map(({ bytes }) => bytes) ?? []

/** Versions in their order. */
function keep(all: Map<string, Kept[]>, id: string, kept: Kept): void {
  const versions = all.get(id) ?? []
  if (versions.some(({ version }) => version === kept.version)) return
  all.set(
    id,
    [...versions, kept].toSorted((one, other) => Number(one.version - other.version)),
  )
}

function chosenBy(
  manner: Manner,
  versions: readonly Kept[],
  all: readonly Kept[],
  pick: (below: number) => number,
): Uint8Array | undefined {
  switch (manner) {
    case "older":
      return versions[pick(versions.length)]?.bytes
    case "of-another":
      return all[pick(all.length)]?.bytes
    case "altered":
      return withFlippedBit(versions.at(-1)?.bytes ?? new Uint8Array(0), pick)
    default:
      return undefined
  }
}
