import { setImmediate } from "node:timers/promises"
import { create, type MessageInitShape } from "@bufbuild/protobuf"
import t from "tap"
import { ActivityStatus } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  type Outcome,
  OutcomeSchema,
  RecoverResponseSchema,
} from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { unavailable } from "../../../../services/api/errors.ts"
import type { Schedule } from "../../../../services/api/signer/outcome-recovery.ts"
import { storedType } from "../../../../services/api/store/activity-codes.ts"
import { nextId, notarized, user } from "../documents.ts"
import { outcome, quorumBody, sha256, submitBody } from "../prepared.ts"
import { startApi } from "../start-api.ts"
import { makeKey } from "../stamps.ts"

const alice = user("alice", makeKey())
const stamp = { scheme: "SIGNATURE_SCHEME_TK_API_P256", publicKey: "02", signature: "30" }
const SECRET_NAME = "Nobody's business"

/** An unacknowledged outcome of the signer's ledger, with its request. */
function waiting(parts: Parameters<typeof outcome>[1] = {}, body = quorumBody([nextId()])) {
  const prepared = outcome(alice.userId, parts)({ body: Buffer.from(body) } as never).value as Outcome
  const recovered = { outcome: create(OutcomeSchema, prepared), body: Buffer.from(body), stamp }
  const { activityId = "", voteId = "" } = recovered.outcome.decision ?? {}
  return { recovered, body, activityId, voteId, fingerprint: sha256(body).toString("hex") }
}

const page = (more: boolean, ...entries: ReturnType<typeof waiting>[]) =>
  ({ more, outcomes: entries.map(({ recovered }) => recovered) }) satisfies MessageInitShape<
    typeof RecoverResponseSchema
  >

const named = (name: string, organizationId?: string) =>
  notarized({ ...(organizationId === undefined ? {} : { organizationId }), name, users: [alice] })

/** A timer that a test fires by hand. */
function manualTimer() {
  let waiting: (() => void) | undefined
  const schedule: Schedule = (run) => {
    waiting = run
    return { cancel: () => (waiting = undefined) }
  }
  const fire = () => {
    const run = waiting
    waiting = undefined
    run?.()
  }
  return { schedule, fire, isSet: () => waiting !== undefined }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await setImmediate()
}

t.test("an outcome that the database refuses delays neither other outcomes nor the service", async (t) => {
  const { service, signer, sql, send, logged } = await startApi(t)
  const [first, last] = [waiting(), waiting()]
  const organizationId = "6f0b1c1e-0000-4000-8000-00000000bad0"
  const refused = waiting({ organizationId, document: named(`${SECRET_NAME}\0`, organizationId) })
  signer.recoveries.push(page(true, first, refused), page(false, last))
  t.equal((await send("/readyz")).status, 503)
  await service.recover()
  t.same(signer.recoveredAfter, ["", refused.voteId])
  t.same(signer.acknowledged, [first.fingerprint, last.fingerprint])
  t.same(
    (await sql`select id from activities order by id`).map(({ id }) => id),
    [first.activityId, last.activityId],
  )
  t.equal((await send("/readyz")).status, 200)
  const complaint = { level: "error", activityId: refused.activityId, voteId: refused.voteId, fault: "22021" }
  t.match(
    logged.filter(({ level }) => level === "error"),
    [{ ...complaint, organizationId }],
  )
  t.notMatch(JSON.stringify(logged), SECRET_NAME)
})

t.test("a skipped outcome is tried again until it is stored", async (t) => {
  const timer = manualTimer()
  const { service, signer, sql, logged } = await startApi(t, { schedule: timer.schedule })
  await sql`alter table organizations add constraint picky check (name <> 'Later')`
  const late = waiting({ document: named("Later") })
  signer.recover = async () =>
    create(RecoverResponseSchema, signer.acknowledged.length === 0 ? page(false, late) : {})
  await service.recover()
  const errors = () => logged.filter(({ level }) => level === "error").length
  timer.fire()
  await until(() => errors() === 2 && timer.isSet())
  t.same(signer.acknowledged, [])
  await sql`alter table organizations drop constraint picky`
  timer.fire()
  await until(() => signer.acknowledged.length === 1)
  await setImmediate()
  t.notOk(timer.isSet(), "no further retry")
  t.match(await sql`select name from organizations`, [{ name: "Later" }])
})

t.test("a vote is not stored instead of its skipped opening", async (t) => {
  const { service, signer, sql } = await startApi(t)
  const type = storedType("ACTIVITY_TYPE_UPDATE_ROOT_QUORUM")
  await sql.unsafe(`alter table activities add constraint picky check (type <> '${type}')`)
  const opening = waiting({ status: ActivityStatus.CONSENSUS_NEEDED })
  const activityFingerprint = sha256(opening.body)
  const approval = submitBody("APPROVE_ACTIVITY", { fingerprint: `sha256:${opening.fingerprint}` })
  const vote = waiting({ opened: false, activityFingerprint }, approval)
  signer.recoveries.push(page(false, opening, vote))
  await service.recover()
  t.same(await sql`select 1 from activities`, [])
  t.same(signer.acknowledged, [])
})

t.test(
  "recovery fails while the signer or the database is unreachable, and succeeds afterwards",
  async (t) => {
    const { service, signer, sql, send } = await startApi(t)
    const { recover } = signer
    signer.recover = () => Promise.reject(unavailable("not now"))
    await t.rejects(service.recover(), { message: "not now" })
    signer.recover = recover
    await sql`create function gone() returns trigger language plpgsql as
    $$ begin raise exception 'going down' using errcode = '57P01'; end $$`
    await sql`create trigger gone before insert on activities execute function gone()`
    const entry = waiting()
    signer.recoveries.push(page(false, entry))
    await t.rejects(service.recover(), { code: "57P01" })
    t.equal((await send("/readyz")).status, 503)
    await sql`drop trigger gone on activities`
    signer.recoveries.push(page(false, entry))
    await service.recover()
    t.same(signer.acknowledged, [entry.fingerprint])
    t.equal((await send("/readyz")).status, 200)
  },
)

t.test("recovery ends at a page without progress", async (t) => {
  const { service, signer } = await startApi(t)
  const entry = waiting()
  signer.recoveries.push(page(true, entry), page(true, entry))
  await service.recover()
  t.same(signer.recoveredAfter, ["", entry.voteId])
  signer.recoveries.push(page(true))
  await service.recover()
  t.equal(signer.recoveredAfter.length, 3)
})

t.test("no retry runs after the service has closed", async (t) => {
  const timer = manualTimer()
  const { service, signer, sql } = await startApi(t, { schedule: timer.schedule })
  await sql`alter table organizations add constraint picky check (name <> 'Later')`
  signer.recoveries.push(page(false, waiting({ document: named("Later") })))
  await service.recover()
  t.ok(timer.isSet())
  await service.close()
  t.notOk(timer.isSet())
  t.equal(signer.recoveredAfter.length, 1)
})
