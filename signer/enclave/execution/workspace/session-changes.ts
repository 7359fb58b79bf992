import { create, toBinary } from "@bufbuild/protobuf"
import { RecordKind, SessionRecordSchema } from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { Session, SessionStore } from "../../organization/draft.ts"
import type { Changes } from "./changes.ts"
import { type SessionTarget, type Sessions, writeSessionTarget } from "../state/sessions.ts"

/** The sessions of one organization as they stand while an activity runs. */
export class SessionChanges implements SessionStore {
  readonly #organizationId: string
  readonly #sessions: Sessions
  readonly #changes: Changes
  readonly #opened: Session[] = []
  readonly #ended = new Set<string>()
  /** By user, as they were before: read once, for a request may ask for those of hundreds. */
  #before: ReadonlyMap<string, readonly SessionTarget[]> | undefined

  constructor(organizationId: string, sessions: Sessions, changes: Changes) {
    this.#organizationId = organizationId
    this.#sessions = sessions
    this.#changes = changes
  }

  of(userId: string): Session[] {
    this.#before ??= Map.groupBy(this.#sessions.targets(this.#organizationId), (target) => target.userId)
    const before = (this.#before.get(userId) ?? []).flatMap(
      ({ id }) => this.#sessions.session(this.#organizationId, id) ?? [],
    )
    return [...before, ...this.#opened.filter((session) => session.userId === userId)].filter(
      ({ id }) => !this.#ended.has(id),
    )
  }

  find(publicKey: string): Session | undefined {
    const before = this.#sessions.find(this.#organizationId, publicKey)
    const now = this.#opened.find((session) => session.publicKey === publicKey) ?? before
    return now !== undefined && this.#ended.has(now.id) ? undefined : now
  }

  /** Row and record go together, by themselves when the session expires. */
  open(session: Session): void {
    const { id, userId, publicKey, expiresAtMs } = session
    const expiresMs = Number(expiresAtMs)
    const payload = toBinary(SessionRecordSchema, create(SessionRecordSchema, session))
    this.#changes.addRecord({ kind: RecordKind.SESSION, id, payload, expiresMs })
    const row = { kind: "session", key: publicKey } as const
    this.#changes.putRow({ ...row, value: writeSessionTarget({ id, userId }), expiresMs })
    this.#opened.push(session)
  }

  /** Nothing of it stays in the ledger. The database, which may hear of its birth later, is told by its record. */
  end({ id, publicKey }: Session): void {
    if (this.#opened.some((session) => session.id === id)) throw new Error("a session outlives its own login")
    this.#ended.add(id)
    const record = this.#sessions.record(this.#organizationId, id)
    if (record !== undefined) this.#changes.endRecord(record)
    this.#changes.remove.push({ kind: "session", key: publicKey })
  }
}
