import { setTimeout as pause } from "node:timers/promises"
import { Refusal } from "../../../signer/core/refusal.ts"
import { inSlices } from "../../../signer/core/turns/slices.ts"
import type { Logger } from "../../common/logger.ts"
import type { Database, Transaction } from "../../database/database.ts"
import { WorkRests } from "../../database/work-rests.ts"
import type { WorkSignals } from "../../database/work-signals.ts"
import type { OrganizationStore } from "../authentication/organization-store.ts"
import type { TimeForm } from "../resources/time.ts"
import type { Signer } from "../signer/signer.ts"
import {
  endUnsigned,
  isUnsigned,
  type SignedDelivery,
  storeSigned,
  takeUnsigned,
  type UnsignedDelivery,
} from "../store/webhook-deliveries.ts"
import type { StoredOrganization } from "../store/stored-organization.ts"
import { webhookBody } from "./body.ts"

/** Rest after a poll that found nothing: until a signal, and with none for so long at most. Pause after one that failed. */
const REST = { leastMs: 200, mostMs: 4_000 }
const FAULT_PAUSE_MS = 2000

/** Most notifications, and bytes of text, that one poll reads. A body is not longer than its source. */
const PIECE = { limit: 64, maxBytes: 1024 * 1024 }

/** Bodies between two turns of the event loop. */
const SLICE = { size: 8 }

type SigningDeps = {
  sql: Database
  signer: Pick<Signer, "signWebhooks">
  organizations: Pick<OrganizationStore, "get">
  log: Logger
  times: TimeForm
  now: () => number
  /** Signals that notifications may wait. This process announces those that it has signed. */
  signals: WorkSignals
}

type Prepared = { delivery: UnsignedDelivery; body: string }

/**
 * Writes the bodies of notifications and has the signer sign them. The worker, which sends them, has no connection to the
 * signer. It marks notifications to sign in the database, and this process signs them.
 */
export class WebhookSigning {
  readonly #deps: SigningDeps
  readonly #stop = new AbortController()
  readonly #rests: WorkRests
  #running: Promise<void> | undefined
  #fault = ""

  constructor(deps: SigningDeps) {
    this.#deps = deps
    this.#rests = new WorkRests(deps.signals)
  }

  /** A second call changes nothing. */
  start(): void {
    this.#running ??= this.#run()
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  /** Each piece is followed by a pause of the same length: requests use signer and database too. */
  async #run(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      const startedAt = performance.now()
      const wait = await this.#signWaiting().then(
        (count) => (count > 0 ? performance.now() - startedAt : undefined),
        (error: unknown) => this.#warn(error),
      )
      if (wait === undefined) await this.#rests.rest(REST, signal)
      else await pause(wait, undefined, { signal }).catch(() => undefined)
    }
  }

  async #signWaiting(): Promise<number> {
    // Without a transaction, as there is seldom something to do.
    if (!(await isUnsigned(this.#deps.sql))) return 0
    const count = await this.signOnce()
    if (count > 0) this.#deps.signals.announce()
    return count
  }

  /** Signs what waits, up to one call's worth, and returns how much it was. */
  async signOnce(): Promise<number> {
    const { sql } = this.#deps
    const count = await sql.begin(async (tx) => {
      const taken = await takeUnsigned(tx, PIECE.limit, PIECE.maxBytes)
      if (taken.length > 0) await this.#sign(tx, taken)
      return taken.length
    })
    this.#fault = ""
    return count
  }

  async #sign(tx: Transaction, taken: readonly UnsignedDelivery[]): Promise<void> {
    const bodies = await this.#bodiesOf(taken)
    const prepared = taken.flatMap((delivery, index): Prepared[] => {
      const body = bodies[index]
      return body === undefined ? [] : [{ delivery, body }]
    })
    const lost = taken.filter((_, index) => bodies[index] === undefined).map(({ id }) => id)
    if (lost.length > 0) await endUnsigned(tx, lost, "the database lacks the object of the event")
    if (prepared.length === 0) return
    const timestampMs = this.#deps.now()
    try {
      await this.#signAll(tx, prepared, timestampMs)
    } catch (error) {
      if (!isFinal(error)) throw error
      for (const one of prepared) await this.#signOne(tx, one, timestampMs)
    }
  }

  /** Signs one notification alone, so that a refused one does not delay the others. */
  async #signOne(tx: Transaction, one: Prepared, timestampMs: number): Promise<void> {
    try {
      await this.#signAll(tx, [one], timestampMs)
    } catch (error) {
      if (!isFinal(error)) throw error
      this.#deps.log.warn({ err: error, deliveryId: one.delivery.id }, "the signer refuses a notification")
      await endUnsigned(tx, [one.delivery.id], `the signer refuses it: ${error.code}`)
    }
  }

  async #signAll(tx: Transaction, prepared: readonly Prepared[], timestampMs: number): Promise<void> {
    const { signatures, keyId } = await this.#deps.signer.signWebhooks(
      prepared.map(({ delivery, body }) => ({
        organizationId: delivery.sourceId,
        eventId: delivery.id,
        timestampMs: BigInt(timestampMs),
        body: Buffer.from(body),
      })),
    )
    const signed = prepared.flatMap(({ delivery: { id }, body }, index): SignedDelivery[] => {
      const signature = signatures[index]
      return signature === undefined ? [] : [{ id, body, signature }]
    })
    await storeSigned(tx, signed, { keyId, timestampMs })
  }

  /** The notifications' bodies. Undefined: neither the database nor the signer's archive has the organization. */
  async #bodiesOf(taken: readonly UnsignedDelivery[]): Promise<(string | undefined)[]> {
    const { times, now } = this.#deps
    const organizations = new Map<string, StoredOrganization | undefined>()
    for (const { sourceId, body } of taken)
      if (body === null && !organizations.has(sourceId))
        organizations.set(sourceId, await this.#deps.organizations.get(sourceId))
    return inSlices(taken, SLICE, (delivery) => {
      const { snapshot, body, sourceId } = delivery
      if (body !== null || snapshot === null) return body ?? undefined
      const organization = organizations.get(sourceId)
      return organization && webhookBody({ ...delivery, snapshot }, { organization, times, nowMs: now() })
    })
  }

  /** A lasting fault is logged once. */
  #warn(error: unknown): number {
    const fault = error instanceof Error ? error.message : String(error)
    if (fault !== this.#fault && !this.#stop.signal.aborted)
      this.#deps.log.warn({ err: error }, "notifications of webhooks cannot be signed yet")
    this.#fault = fault
    return FAULT_PAUSE_MS
  }
}

/** Refusals of one statement; any other one passes. */
function isFinal(error: unknown): error is Refusal {
  if (!(error instanceof Refusal)) return false
  return ["WEBHOOK_STATEMENT_INVALID", "ORGANIZATION_UNKNOWN", "REQUEST_TOO_LARGE"].includes(error.code)
}
