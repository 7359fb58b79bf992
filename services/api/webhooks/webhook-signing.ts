import { setTimeout as pause } from "node:timers/promises"
import { Refusal } from "../../../signer/core/refusal.ts"
import { MAX_STATEMENTS } from "../../../signer/core/webhook/statement.ts"
import type { Logger } from "../../common/logger.ts"
import type { Database, Transaction } from "../../database/database.ts"
import type { OrganizationStore } from "../authentication/organization-store.ts"
import type { TimeForm } from "../resources/time.ts"
import type { Signer } from "../signer/signer.ts"
import {
  endUnsigned,
  type SignedDelivery,
  storeSigned,
  takeUnsigned,
  type UnsignedDelivery,
} from "../store/webhook-deliveries.ts"
import { webhookBody } from "./body.ts"

/** Pause after a poll that found nothing, and after one that failed. */
const POLL_MS = 200
const FAULT_PAUSE_MS = 2000

/** Most text that one poll reads. A body is not longer than its source. */
const MAX_BYTES = 1024 * 1024

type SigningDeps = {
  sql: Database
  signer: Pick<Signer, "signWebhooks">
  organizations: Pick<OrganizationStore, "get">
  log: Logger
  times: TimeForm
  now: () => number
}

type Prepared = { delivery: UnsignedDelivery; body: string }

/**
 * Writes the bodies of notifications and has the signer sign them. The worker, which sends them, has no connection to the
 * signer. It marks notifications to sign in the database, and this process signs them.
 */
export class WebhookSigning {
  readonly #deps: SigningDeps
  readonly #stop = new AbortController()
  #running: Promise<void> | undefined
  #fault = ""

  constructor(deps: SigningDeps) {
    this.#deps = deps
  }

  /** A second call changes nothing. */
  start(): void {
    this.#running ??= this.#run()
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      const wait = await this.signOnce().then(
        (count) => (count > 0 ? 0 : POLL_MS),
        (error: unknown) => this.#warn(error),
      )
      if (wait > 0) await pause(wait, undefined, { signal }).catch(() => undefined)
    }
  }

  /** Signs what waits, up to one call's worth, and returns how much it was. */
  async signOnce(): Promise<number> {
    const { sql } = this.#deps
    const count = await sql.begin(async (tx) => {
      const taken = await takeUnsigned(tx, MAX_STATEMENTS, MAX_BYTES)
      if (taken.length > 0) await this.#sign(tx, taken)
      return taken.length
    })
    this.#fault = ""
    return count
  }

  async #sign(tx: Transaction, taken: readonly UnsignedDelivery[]): Promise<void> {
    const prepared: Prepared[] = []
    const lost: string[] = []
    for (const delivery of taken) {
      const body = await this.#bodyOf(delivery)
      if (body === undefined) lost.push(delivery.id)
      else prepared.push({ delivery, body })
    }
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

  /** The notification's body. Undefined: neither the database nor the signer's archive has the organization. */
  async #bodyOf(delivery: UnsignedDelivery): Promise<string | undefined> {
    const { organizations, times, now } = this.#deps
    const { snapshot, body } = delivery
    if (body !== null || snapshot === null) return body ?? undefined
    const organization = await organizations.get(delivery.sourceId)
    return organization && webhookBody({ ...delivery, snapshot }, { organization, times, nowMs: now() })
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
