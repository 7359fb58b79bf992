// Export and removal of old activities: whatever interrupts it, each is in one file once, and none is lost.
import { spawn } from "node:child_process"
import { randomInt } from "node:crypto"
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import t, { type Test } from "tap"
import { Outcome } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { packOutcomes, policyListDigest } from "../../../../signer/core/policy/outcome-list.ts"
import { PolicyLists } from "../../../../services/api/store/policy-lists.ts"
import { writeLogReceipt } from "../../../../signer/core/log/receipt.ts"
import { ExportFolder } from "../../../../services/api/exports/export-files.ts"
import { forecast, prune, type PruneDeps } from "../../../../services/api/exports/prune.ts"
import { ActivityBatcher, type ActivityRow } from "../../../../services/api/store/activities.ts"
import { noteBootProofUse, storeBootProof } from "../../../../services/api/store/boot-proofs.ts"
import { DecisionReceipts, type LooseReceipt } from "../../../../services/api/store/decision-receipts.ts"
import { recordDeployment } from "../../../../services/api/store/deployment.ts"
import { recordErasure } from "../../../../services/api/store/erasures.ts"
import { insertSends } from "../../../../services/api/store/sends.ts"
import { verifyExport } from "../../../../services/cli/commands/verify-export.ts"
import { ExportDigest } from "../../../../services/common/activity-export.ts"
import type { Database } from "../../../../services/database/database.ts"
import { freshDatabase } from "../../../harness/database.ts"
import { insertAsBefore, nextId, sampleActivity, sampleVote } from "../store/sample.ts"
import { isLong } from "../../../harness/long.ts"

const DAY_MS = 86_400_000
const NOW_MS = 1_790_000_000_000
const BEFORE_MS = NOW_MS - 90 * DAY_MS
const DEPLOYMENT = { id: nextId(), signerPublicKey: "00", notarizerPublicKey: "00" }
const COMPLETED = "ACTIVITY_STATUS_COMPLETED"

let last = 0
/** A UUIDv7 of this time, higher than those before. */
function idAt(ms: number): string {
  const hex = ms.toString(16).padStart(12, "0")
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${(++last).toString(16).padStart(12, "0")}`
}

function activityAt(ms: number, given: Partial<ActivityRow> = {}): ActivityRow {
  const message = JSON.stringify({ type: "ACTIVITY_TYPE_CREATE_WALLET", number: last })
  const [status, result] = [COMPLETED, '{"createWalletResult":{}}']
  const votes = [sampleVote({ message })]
  return sampleActivity({ id: idAt(ms), createdMs: ms, updatedMs: ms, status, result, votes, ...given })
}

async function started(t: Test, rows: readonly ActivityRow[]) {
  const { sql, url } = await freshDatabase(t)
  await recordDeployment(sql, DEPLOYMENT)
  const batcher = new ActivityBatcher(sql)
  await Promise.all(rows.map((row) => batcher.insert(row)))
  const directory = t.testdir()
  const deps: PruneDeps = {
    sql,
    folder: new ExportFolder(directory),
    beforeMs: BEFORE_MS,
    pause: async () => undefined,
  }
  return { sql, url, directory, deps }
}

const filesIn = (directory: string) => readdirSync(directory).toSorted()
const linesOf = (directory: string, name: string) =>
  readFileSync(join(directory, name), "utf8").trim().split("\n")

type Line = {
  activity?: { id: string; organizationId: string }
  end?: object
  bootProof?: object
  previous?: string
}

const exportedIn = (directory: string) =>
  filesIn(directory).flatMap((name) =>
    linesOf(directory, name).flatMap((line) => (JSON.parse(line) as Line).activity?.id ?? []),
  )

const storedIn = async (sql: Database) =>
  (await sql<{ id: string }[]>`select id from activities order by id`).map(({ id }) => id)

t.test("old final activities are exported and removed; others stay", async (t) => {
  const organizationId = nextId()
  const old = [
    activityAt(BEFORE_MS - DAY_MS, { organizationId }),
    activityAt(BEFORE_MS - 2, { organizationId, status: "ACTIVITY_STATUS_FAILED", failure: '{"code":3}' }),
    activityAt(BEFORE_MS - 1, { deniedUserId: nextId(), status: "ACTIVITY_STATUS_FAILED", failure: "{}" }),
    activityAt(0, { status: "ACTIVITY_STATUS_REJECTED" }),
  ]
  const kept = [
    activityAt(BEFORE_MS - DAY_MS, { organizationId, status: "ACTIVITY_STATUS_CONSENSUS_NEEDED" }),
    activityAt(BEFORE_MS - DAY_MS, { status: "ACTIVITY_STATUS_AUTHENTICATORS_NEEDED" }),
    activityAt(BEFORE_MS - DAY_MS, { organizationId, updatedMs: BEFORE_MS }),
    activityAt(BEFORE_MS, { organizationId }),
    activityAt(NOW_MS),
  ]
  const { sql, directory, deps } = await started(t, [...old, ...kept])
  const before = activityAt(BEFORE_MS - 5)
  await insertAsBefore(sql, before)
  t.match(await forecast(deps), { activities: old.length + 1 })
  t.match(await prune(deps), { files: 1, exported: old.length + 1, removed: old.length + 1 })
  t.same(exportedIn(directory).toSorted(), [...old, before].map(({ id }) => id).toSorted())
  t.same(await storedIn(sql), kept.map(({ id }) => id).toSorted())
  t.same(await forecast(deps), { activities: 0, characters: 0 })
  t.match(await prune(deps), { files: 0, exported: 0, removed: 0 }, "a second run")
  t.equal(statSync(join(directory, "activities-000001.jsonl")).mode & 0o777, 0o600)
})

t.test("of exported files the database keeps the newest, and the next file continues it", async (t) => {
  const rows = [1, 2, 3].map((days) => activityAt(BEFORE_MS - days * DAY_MS))
  const { sql, directory, deps } = await started(t, rows)
  let previous = ""
  for (const [file, days] of [
    [1, 2.5],
    [2, 1.5],
    [3, 0],
  ] as const) {
    t.match(await prune({ ...deps, beforeMs: BEFORE_MS - days * DAY_MS }), { files: 1, removed: 1 })
    const recorded = await sql<{ file: number; digest: Buffer }[]>`select file, digest from activity_exports`
    t.match(recorded, [{ file }], "one row")
    const [name = ""] = filesIn(directory)
    t.equal((JSON.parse(linesOf(directory, name)[0] ?? "") as Line).previous, previous)
    previous = recorded[0]?.digest.toString("hex") ?? ""
    rmSync(join(directory, name))
  }
})

t.test("erasures that are older than a year are sums of their parent", async (t) => {
  const { sql, deps } = await started(t, [])
  const [parentId, other, yearMs] = [nextId(), nextId(), 366 * DAY_MS]
  const nowMs = Date.now()
  const young = { organizationId: nextId(), parentId, ownActivities: 1, parentActivities: 1 }
  await recordErasure(sql, young, nowMs - yearMs + DAY_MS)
  for (const count of [1, 2]) {
    for (const parent of [parentId, parentId, other]) {
      const erasure = { organizationId: nextId(), parentId: parent, ownActivities: 5, parentActivities: 2 }
      await recordErasure(sql, erasure, nowMs - yearMs - DAY_MS)
    }
    await prune({ ...deps, beforeMs: nowMs - DAY_MS })
    const stored = await sql`
      select organization_id as id, own_activities::int as own, parent_activities::int as parents from erasures`
    const sorted = (all: object[]) => all.map((one) => JSON.stringify(one)).toSorted()
    t.same(
      sorted([...stored]),
      sorted([
        { id: young.organizationId, own: 1, parents: 1 },
        { id: parentId, own: 10 * count, parents: 4 * count },
        { id: other, own: 5 * count, parents: 2 * count },
      ]),
    )
  }
  const old = { organizationId: nextId(), parentId, ownActivities: 1, parentActivities: 0 }
  await recordErasure(sql, old, nowMs - 2 * yearMs)
  await prune({ ...deps, beforeMs: nowMs - 3 * yearMs })
  t.equal((await sql`select from erasures`).length, 4, "a greater age keeps them longer")
})

t.test(
  "votes that refer to a list of policies are exported with the ids, and read without the database",
  async (t) => {
    const { ALLOW, ERROR } = Outcome
    const policyIds = Array.from({ length: 40 }, () => nextId())
    const outcomes = policyIds.map((_, index) => (index % 3 === 0 ? ALLOW : ERROR))
    const listed = [policyListDigest(policyIds), packOutcomes(outcomes)].map((bytes) => bytes.toString("hex"))
    const vote = sampleVote({ message: "{}", listedOutcomes: [listed[0] ?? "", listed[1] ?? ""] })
    const row = activityAt(BEFORE_MS - 1, { votes: [vote] })
    const { sql, directory, deps } = await started(t, [row])
    await new PolicyLists(sql).keep(row.organizationId, policyIds)
    t.match(await prune(deps), { exported: 1, removed: 1 })
    const [line] = linesOf(directory, "activities-000001.jsonl").filter((text) =>
      text.includes('"activity":'),
    )
    const { activity } = JSON.parse(line ?? "") as { activity: { votes: object[] } }
    t.match(activity.votes, [{ policyOutcomes: policyIds.map((id, index) => [id, outcomes[index]]) }])
    t.notOk(line?.includes("listedOutcomes"))
  },
)

t.test("an activity is exported with all that is stored of it", async (t) => {
  const appProofs = '[{"scheme":"s","publicKey":"aa","proofPayload":"{}","signature":"00"}]'
  const row = activityAt(BEFORE_MS - 1, { appProofs, failure: '{"code":3}' })
  const { sql, directory, deps } = await started(t, [row])
  await storeBootProof(sql, { ephemeralKey: "aa", createdMs: 1, proof: new Uint8Array() })
  await sql.begin((tx) =>
    insertSends(tx, [
      {
        organizationId: row.organizationId,
        id: nextId(),
        activityId: row.id,
        caip2: "eip155:1",
        chain: "eip155:1",
        account: "0xab",
        nonce: 2n ** 63n,
        raw: Buffer.from("f8", "hex"),
        hash: "0x01",
        lastValidBlockHeight: 0n,
        createdMs: 1,
      },
    ]),
  )
  t.match(await prune(deps), { exported: 0 }, "while its transaction is under way it stays")
  await sql`update sends set status = 'FAILED', failure = ${'{"message":"no"}'}`
  t.match(await prune(deps), { exported: 1 })
  const [header, bootProof, line, end] = linesOf(directory, "activities-000001.jsonl").map(
    (text) => JSON.parse(text) as Line,
  )
  t.match(header, { format: "countersign/activities/v1", file: 1, previous: "", deploymentId: DEPLOYMENT.id })
  t.match(bootProof, { bootProof: { ephemeralPublicKeyHex: "" } })
  const [vote] = row.votes
  t.match(line, {
    activity: {
      id: row.id,
      organizationId: row.organizationId,
      type: row.type,
      status: row.status,
      userId: row.userId,
      isDenied: false,
      intent: JSON.parse(row.intent),
      result: JSON.parse(row.result ?? ""),
      failure: { code: 3 },
      appProofs: JSON.parse(appProofs),
      votes: [
        {
          ...vote,
          createdMs: undefined,
          activityId: row.id,
          user: { userId: vote?.userId },
          createdAt: String,
        },
      ],
      fingerprint: `sha256:${Buffer.from(row.fingerprint).toString("hex")}`,
    },
    sends: [
      { hash: "0x01", raw: "f8", nonce: String(2n ** 63n), status: "FAILED", failure: { message: "no" } },
    ],
  })
  t.same(end, { end: { activities: 1 } })
  t.same(await sql`select id from sends`, [], "its transaction is removed with it")
})

t.test("each file names the digest of the one before, also when that was moved away", async (t) => {
  const { sql, directory, deps } = await started(t, [activityAt(1)])
  const run = async () => {
    await new ActivityBatcher(sql).insert(activityAt(2))
    await prune(deps)
  }
  const digests = () =>
    filesIn(directory).map((name) => {
      const digest = new ExportDigest()
      for (const line of linesOf(directory, name)) digest.add(line)
      return digest.digest().toString("hex")
    })
  const previous = (name: string) => (JSON.parse(linesOf(directory, name)[0] ?? "") as Line).previous
  await run()
  const [first] = digests()
  await run()
  t.equal(previous("activities-000002.jsonl"), first)
  const [, second] = digests()
  for (const name of filesIn(directory)) rmSync(join(directory, name))
  await run()
  t.same(filesIn(directory), ["activities-000003.jsonl"])
  t.equal(previous("activities-000003.jsonl"), second)
})

t.test("a folder of another deployment is refused, and nothing is removed", async (t) => {
  const { sql, directory, deps } = await started(t, [activityAt(1)])
  await prune(deps)
  await sql`update deployment set id = ${nextId()}`
  await new ActivityBatcher(sql).insert(activityAt(2))
  await t.rejects(prune(deps), { status: 3, message: /no export of this deployment/ })
  writeFileSync(join(directory, "activities-000009.jsonl"), "{}\n")
  await t.rejects(prune(deps), { status: 3, message: /no export/ })
  t.equal((await storedIn(sql)).length, 1)
})

/** An interruption at each step in the long form, else at every fifth. */
const STEPS_APART = isLong ? 1 : 5

t.test("an interruption at any step, each in the long form, loses nothing and doubles nothing", async (t) => {
  const organizations = [nextId(), nextId(), nextId()]
  for (let step = 1, isWhole = false; !isWhole; step += STEPS_APART) {
    const rows = Array.from({ length: 450 }, (_, index) =>
      activityAt(1_000 + index, { organizationId: organizations[index % 3] ?? "" }),
    )
    const { sql, directory, deps } = await started(t, rows)
    let left = step
    const interrupted = prune({ ...deps, sql: failingAfter(sql, () => left-- <= 0) })
    isWhole = await interrupted.then(
      () => true,
      () => false,
    )
    // Before the next run: what is gone from the database is in a file.
    const exported = exportedIn(directory)
    const stored = await storedIn(sql)
    t.strictSame(
      rows.filter(({ id }) => !stored.includes(id) && !exported.includes(id)),
      [],
      `step ${step}`,
    )
    await prune(deps)
    t.same(exportedIn(directory).toSorted(), rows.map(({ id }) => id).toSorted(), `step ${step}`)
    t.same(await storedIn(sql), [])
    t.ok(step < 50)
  }
})

/** A database whose statements fail from some step on, as after the process was killed. */
function failingAfter(sql: Database, isOver: () => boolean): Database {
  return new Proxy(sql, {
    apply(target, self, given: unknown[]) {
      // Fragments are no statements.
      const text = String((given[0] as readonly string[])[0]).trimStart()
      if (/^(?:select|with|insert|delete)/.test(text) && isOver()) throw new Error("killed")
      return Reflect.apply(target, self, given) as unknown
    },
  })
}

t.test("a process that is killed while it runs is continued by the next one", async (t) => {
  const rows = Array.from({ length: 3_000 }, (_, index) => activityAt(1_000 + index))
  const { sql, url, directory, deps } = await started(t, rows)
  const child = new URL("prune-child.ts", import.meta.url).pathname
  for (let kills = 0; kills < (isLong ? 4 : 1); kills++) {
    const running = spawn(process.execPath, [child, url, directory, String(BEFORE_MS)], { stdio: "pipe" })
    const ended = new Promise<void>((resolve) => running.once("exit", () => resolve()))
    // At a statement of its own choice: it prints a dot before each.
    let dots = randomInt(1, 20)
    running.stdout.on("data", (text: Buffer) => {
      dots -= text.length
      if (dots <= 0) running.kill("SIGKILL")
    })
    await ended
  }
  await prune(deps)
  const exported = exportedIn(directory)
  t.equal(exported.length, rows.length)
  t.equal(new Set(exported).size, rows.length)
  t.same(await storedIn(sql), [])
})

t.test("boot proofs are removed once no activity can need them", async (t) => {
  const { sql, deps } = await started(t, [])
  const keysLeft = async () =>
    (await sql<{ key: string }[]>`select ephemeral_key as key from boot_proofs order by 1`).map(
      ({ key }) => key,
    )
  for (const ephemeralKey of ["aa", "bb"])
    await storeBootProof(sql, { ephemeralKey, createdMs: 1, proof: new Uint8Array() })
  await sql`update boot_proofs set last_used_ms = 5`
  await noteBootProofUse(sql, "bb", BEFORE_MS)
  await new ActivityBatcher(sql).insert(activityAt(4, { status: "ACTIVITY_STATUS_CONSENSUS_NEEDED" }))
  await prune(deps)
  t.same(await keysLeft(), ["aa", "bb"], "an activity of that time waits for votes")
  await sql`delete from activities`
  t.match(await prune(deps), { bootProofs: 1 })
  t.same(await keysLeft(), ["bb"])
})

t.test(
  "C-1791: receipts without an activity are exported once, then removed, also by a run after a kill",
  async (t) => {
    const organizationId = nextId()
    const { sql, directory, deps } = await started(t, [])
    const receiptAt = (decidedMs: number, at: number): LooseReceipt => ({
      organizationId,
      voteId: idAt(decidedMs),
      activityId: idAt(decidedMs),
      fingerprint: "ab".repeat(32),
      decidedMs,
      receipt: Buffer.from(
        writeLogReceipt({
          status: 2,
          lane: 1,
          era: 0,
          startIndex: 0,
          counter: at + 1,
          index: at,
          salt: Buffer.alloc(32, at),
        }),
      ).toString("hex"),
    })
    const old = Array.from({ length: 1_203 }, (_, at) => receiptAt(BEFORE_MS - DAY_MS + at, at))
    const recent = receiptAt(BEFORE_MS + 1, 7)
    const kept = new DecisionReceipts(sql)
    await Promise.all([...old, recent].map((receipt) => kept.keep(receipt)))
    const storedReceipts = async () =>
      (await sql<{ id: string }[]>`select vote_id as id from decision_receipts order by 1`).map(
        ({ id }) => id,
      )
    // A run that dies between its file and the removal.
    await sql`create function die() returns trigger language plpgsql as 'begin raise ''killed''; end'`
    await sql`create trigger dies before delete on decision_receipts for each statement execute function die()`
    await t.rejects(prune(deps), { message: "killed" })
    await sql`drop trigger dies on decision_receipts`
    t.equal((await storedReceipts()).length, old.length + 1)
    await prune(deps)
    t.strictSame(await storedReceipts(), [recent.voteId])
    const exported = filesIn(directory).flatMap((name) =>
      linesOf(directory, name).flatMap(
        (line) => (JSON.parse(line) as { receipt?: { voteId: string } }).receipt ?? [],
      ),
    )
    t.strictSame(
      exported.map(({ voteId }) => voteId),
      old.map(({ voteId }) => voteId),
      "each once",
    )
    t.match(exported[5], {
      organizationId,
      activityId: old[5]!.activityId,
      fingerprint: old[5]!.fingerprint,
      decidedAt: new Date(old[5]!.decidedMs).toISOString(),
      logReceipt: old[5]!.receipt,
    })
    const printed: string[] = []
    const terminal = { print: (line: string) => printed.push(line), log: () => undefined }
    await verifyExport({ paths: [directory], pins: undefined, pinsFile: "/dev/null/none" }, terminal)
    t.match(printed.join("\n"), /1203 receipts of decisions without an activity/)
    // Receipts alone make a file too.
    await sql`update decision_receipts set decided_ms = ${BEFORE_MS - 5}`
    t.match(await prune(deps), { files: 1, exported: 0 })
    t.strictSame(await storedReceipts(), [])
    const [name = ""] = filesIn(directory).slice(-1)
    writeFileSync(
      join(directory, name),
      linesOf(directory, name).join("\n").replace(`"logReceipt":"01`, `"logReceipt":"02`),
    )
    await t.rejects(
      verifyExport({ paths: [directory], pins: undefined, pinsFile: "/dev/null/none" }, terminal),
    )
    t.match(printed.join("\n"), /is no receipt of the log/)
  },
)
