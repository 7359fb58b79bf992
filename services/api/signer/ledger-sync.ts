import { randomBytes } from "node:crypto"
import { fromBinary } from "@bufbuild/protobuf"
import { HeadStatementSchema } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { Refusal } from "../../../signer/core/refusal.ts"
import type { Logger } from "../../common/logger.ts"
import { unavailable } from "../errors.ts"
import { restoreState } from "../store/changes.ts"
import type { Database } from "../../database/database.ts"
import { recordChanges } from "../store/state-change.ts"
import { isUuidInAnyCase } from "../store/uuid.ts"
import { type OutcomeWriter, OutcomeRecovery, type Schedule } from "./outcome-recovery.ts"
import { restoreOrganization } from "./restore-organization.ts"
import type { Signer } from "./signer.ts"

/** Requests with unknown ids need no valid stamp, so their share of the signer's time is bounded. */
const LOOKUPS_PER_SECOND = 50

/** Sessions stamp with P-256 keys. */
const SESSION_KEY = /^0[23][0-9a-f]{64}$/

type LedgerSyncDeps = {
  signer: Pick<Signer, "recover" | "acknowledge" | "readArchive" | "readSession" | "getOrganizationHead">
  sql: Database
  outcomes: OutcomeWriter
  log: Logger
  schedule?: Schedule | undefined
  /** Monotonic milliseconds. */
  elapsedMs?: () => number
}

/** Brings the database up to the signer's ledger: after a crash, or after the database was set back or lost. */
export class LedgerSync {
  readonly #deps: LedgerSyncDeps
  readonly #recovery: OutcomeRecovery
  readonly #elapsedMs: () => number
  #second = 0
  #lookups = 0

  constructor(deps: LedgerSyncDeps) {
    this.#deps = deps
    this.#recovery = new OutcomeRecovery(deps)
    this.#elapsedMs = deps.elapsedMs ?? (() => performance.now())
  }

  /**
   * Stores unacknowledged outcomes of one organization or, with "", of all. An outcome that cannot be stored is
   * logged, skipped and tried again later.
   *
   * @throws when the signer or the database cannot be reached
   */
  recover(organizationId: string): Promise<void> {
    return this.#recovery.recover(organizationId)
  }

  /** Stores the signer's copy of an organization, as far as it is newer. */
  restore(organizationId: string): Promise<void> {
    return restoreOrganization(organizationId, this.#deps)
  }

  /**
   * Restores an organization that the database lacks. False: the signer lacks it too.
   *
   * @throws ApiError 503 over LOOKUPS_PER_SECOND
   */
  async restoreUnknown(organizationId: string): Promise<boolean> {
    if (!isUuidInAnyCase(organizationId)) return false
    this.#countLookup()
    return this.#restoreIfKnown(organizationId)
  }

  /**
   * Restores an organization if the signer has a newer version of it. False: it has none.
   *
   * @throws ApiError 503 over LOOKUPS_PER_SECOND
   */
  async restoreNewer(organizationId: string, version: bigint): Promise<boolean> {
    this.#countLookup()
    const { statement } = await this.#deps.signer.getOrganizationHead(organizationId, randomBytes(16))
    if (fromBinary(HeadStatementSchema, statement).documentVersion <= version) return false
    return this.#restoreIfKnown(organizationId)
  }

  /**
   * Stores the session of a key. False: the signer has none. Always follows `restoreNewer`, which costs the signer
   * more, and is counted with it.
   */
  async restoreSession(organizationId: string, publicKey: string): Promise<boolean> {
    if (!SESSION_KEY.test(publicKey)) return false
    const { signer, sql, log } = this.#deps
    const records = await unlessUnknown(signer.readSession(organizationId, publicKey))
    if (records === undefined || records.length === 0) return false
    await restoreState(sql, { organizationId, ...recordChanges(records), createdMs: 0 })
    log.warn({ organizationId }, "restored a session from the signer's archive")
    return true
  }

  /** Stops retries and waits for what is being written. */
  close(): Promise<void> {
    return this.#recovery.close()
  }

  async #restoreIfKnown(organizationId: string): Promise<boolean> {
    const isKnown = this.restore(organizationId).then(() => true)
    return (await unlessUnknown(isKnown)) ?? false
  }

  #countLookup(): void {
    const second = Math.floor(this.#elapsedMs() / 1000)
    if (second !== this.#second) this.#lookups = 0
    this.#second = second
    this.#lookups += 1
    if (this.#lookups > LOOKUPS_PER_SECOND)
      throw unavailable("too many look-ups of unknown organizations and keys; try again")
  }
}

async function unlessUnknown<Result>(lookup: Promise<Result>): Promise<Result | undefined> {
  try {
    return await lookup
  } catch (error) {
    if (error instanceof Refusal && error.code === "ORGANIZATION_UNKNOWN") return undefined
    throw error
  }
}
