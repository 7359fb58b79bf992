import { create, toBinary } from "@bufbuild/protobuf"
import { RecordKind, SessionRecordSchema } from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { Session, SessionOpener, DraftSessions } from "../../organization/draft.ts"
import { type CurrentSessions, writeSessionTarget } from "../state/sessions.ts"
import type { Changes } from "./changes.ts"

/** Sessions of one organization while an activity runs. */
export class SessionChanges implements DraftSessions, SessionOpener {
  readonly #organizationId: string
  readonly #sessions: CurrentSessions
  readonly #changes: Changes
  readonly #opened: Session[] = []
  readonly #ended = new Set<string>()
  /** Ids of earlier sessions by user; read once, since a request may ask for those of hundreds of users. */
  #earlier: ReadonlyMap<string, readonly { id: string }[]> | undefined

  constructor(organizationId: string, sessions: CurrentSessions, changes: Changes) {
    this.#organizationId = organizationId
    this.#sessions = sessions
    this.#changes = changes
  }

  of(userId: string): Session[] {
    this.#earlier ??= Map.groupBy(this.#sessions.targets(this.#organizationId), (target) => target.userId)
    const earlier = (this.#earlier.get(userId) ?? []).flatMap(
      ({ id }) => this.#sessions.session(this.#organizationId, id) ?? [],
    )
    const opened = this.#opened.filter((session) => session.userId === userId)
    return [...earlier, ...opened].filter(({ id }) => !this.#ended.has(id))
  }

  find(publicKey: string): Session | undefined {
    const opened = this.#opened.find((session) => session.publicKey === publicKey)
    const session = opened ?? this.#sessions.find(this.#organizationId, publicKey)
    return session !== undefined && this.#ended.has(session.id) ? undefined : session
  }

  /** Row and record expire together with the session. */
  open(session: Session): void {
    const { id, userId, publicKey, expiresAtMs } = session
    const expiresMs = Number(expiresAtMs)
    const payload = toBinary(SessionRecordSchema, create(SessionRecordSchema, session))
    this.#changes.addRecord({ kind: RecordKind.SESSION, id, payload, expiresMs })
    const value = writeSessionTarget({ id, userId })
    this.#changes.putRow({ kind: "session", key: publicKey, value, expiresMs })
    this.#opened.push(session)
  }

  /** Removes row and record from the ledger. The ended record goes to the database. */
  end({ id, publicKey }: Session): void {
    if (this.#opened.some((session) => session.id === id)) throw new Error("a session outlives its own login")
    this.#ended.add(id)
    const record = this.#sessions.record(this.#organizationId, id)
    if (record !== undefined) this.#changes.endRecord(record)
    this.#changes.remove.push({ kind: "session", key: publicKey })
  }
}
