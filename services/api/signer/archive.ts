import { randomBytes } from "node:crypto"
import { fromBinary } from "@bufbuild/protobuf"
import { HeadStatementSchema } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { Refusal } from "../../../signer/core/refusal.ts"
import { unavailable } from "../errors.ts"
import type { Signer } from "./signer.ts"
import { isUuid } from "../store/uuid.ts"
import type { Healing } from "../submit/executor.ts"

/** Anybody can ask for what is not there, before a stamp is looked at; the signer's time is not theirs. */
const QUESTIONS_PER_SECOND = 50

/** Sessions stamp on P-256. */
const SESSION_KEY = /^0[23][0-9a-f]{64}$/

export type ArchiveDeps = {
  signer: Pick<Signer, "getOrganizationHead">
  healing: Pick<Healing, "restore" | "restoreSession">
  /** Milliseconds of a clock that never goes back. */
  elapsedMs?: () => number
}

/** What the signer knows and the database may have lost; asked only when something was not found. */
export class Archive {
  readonly #deps: ArchiveDeps
  #second = 0
  #asked = 0

  constructor(deps: ArchiveDeps) {
    this.#deps = deps
  }

  /** Brings back an organization that the database does not know. False: the signer does not know it either. */
  async restore(organizationId: string): Promise<boolean> {
    if (!isUuid(organizationId)) return false
    this.#limit()
    return ifKnown(() => this.#deps.healing.restore(organizationId))
  }

  /** Brings an organization up to the signer's version, where the database is behind. False: it is not. */
  async catchUp(organizationId: string, version: bigint): Promise<boolean> {
    this.#limit()
    const { signer, healing } = this.#deps
    const { statement } = await signer.getOrganizationHead(organizationId, randomBytes(16))
    if (fromBinary(HeadStatementSchema, statement).documentVersion <= version) return false
    return ifKnown(() => healing.restore(organizationId))
  }

  /**
   * Brings back the session that a key stamps in. False: the signer knows none. To be asked after `catchUp` alone,
   * which costs the signer more: the two count as one question.
   */
  async restoreSession(organizationId: string, publicKey: string): Promise<boolean> {
    if (!SESSION_KEY.test(publicKey)) return false
    return ifKnown(() => this.#deps.healing.restoreSession(organizationId, publicKey))
  }

  #limit(): void {
    const { elapsedMs = () => performance.now() } = this.#deps
    const second = Math.floor(elapsedMs() / 1000)
    if (second !== this.#second) this.#asked = 0
    this.#second = second
    this.#asked += 1
    if (this.#asked > QUESTIONS_PER_SECOND) throw unavailable("the service is catching up; try again")
  }
}

async function ifKnown(restore: () => Promise<boolean | void>): Promise<boolean> {
  try {
    return (await restore()) ?? true
  } catch (error) {
    if (error instanceof Refusal && error.code === "ORGANIZATION_UNKNOWN") return false
    throw error
  }
}
