// The ledger over a store that is not SQLite: outcomes that nobody knows yet, another writer, and stores that end.
import t from "tap"
import { newLedger } from "../../../../signer/enclave/ledger/create-ledger.ts"
import type { Ledger, LedgerRow } from "../../../../signer/enclave/ledger/ledger.ts"
import { ledgerOver, type LedgerOverOptions } from "../../../../signer/enclave/ledger/over-store.ts"
import type { Appended } from "../../../../signer/enclave/ledger/store.ts"
import { bytes, codeOf, creation, head, KEY, neverTerminate, turn, until, update } from "./harness.ts"
import { MemoryStorage, MemoryStore } from "./memory-store.ts"

const row = (key: string, value = key): LedgerRow => ({ kind: "record", key, value: bytes(value) })

async function over(
  storage: MemoryStorage,
  options: Partial<LedgerOverOptions> = {},
  store = new MemoryStore(storage),
): Promise<Ledger> {
  return ledgerOver(store, await store.takeOver(), { key: KEY, terminate: neverTerminate, ...options })
}

t.test("a ledger serves from any store, and each writer's rows have its fence", async (t) => {
  const storage = new MemoryStorage(newLedger(KEY))
  const ledger = await over(storage)
  await ledger.commit([creation("org", [row("a"), { ...row("b"), expiresMs: 5 }])])
  await ledger.commit([], [{ shard: "#0000", put: [{ ...row("issuer"), kind: "issuer" }] }])
  t.strictSame(ledger.row("org", "record", "a"), bytes("a"))
  t.equal(await ledger.purge(10), 1)
  await ledger.close()
  const next = await over(storage)
  t.equal(next.term("org").fence, 3, "the ledger was created with the first fence")
  t.strictSame(next.head("org"), head(1))
  t.strictSame(
    next.rows("org", "record").map(({ key }) => key),
    ["a"],
  )
  await next.commit([update("org", { put: [row("c")], head: head(2) })])
  t.equal(next.sequence(), 4n)
  await next.close()
  const fences = storage.state.rowsIn("org").map((each) => [each.row.key, each.term.fence])
  t.strictSame(fences, [
    ["a", 2],
    ["c", 3],
  ])
  t.equal((await over(storage)).row("org", "record", "c")?.length, 1, "all MACs are right")
})

t.test("bytes that a store altered are refused", async (t) => {
  const storage = new MemoryStorage(newLedger(KEY))
  const ledger = await over(storage)
  await ledger.commit([creation("org", [row("a")]), creation("other")])
  await ledger.close()
  const [stored] = [...storage.state.rows.get("org")!.values()]
  stored!.row.value = bytes("x")
  const altered = await over(storage)
  t.equal(
    codeOf(() => altered.row("org", "record", "a")),
    "LEDGER_DAMAGED",
  )
  t.strictSame(altered.head("other"), head(1))
  await t.rejects(over(storage, { key: new Uint8Array(32) }), { code: "LEDGER_FOREIGN" })
  storage.state.lanes[1]!.sequence += 1n
  await t.rejects(over(storage), { code: "LEDGER_DAMAGED" })
})

t.test("W70: a store cannot offer lanes that are newer than the writer's fence", async (t) => {
  const storage = new MemoryStorage(newLedger(KEY))
  const ledger = await over(storage)
  await ledger.commit([creation("org")])
  const store = new MemoryStore(storage)
  const tenure = { ...(await store.takeOver()), fence: 1 }
  const options = { key: KEY, terminate: neverTerminate }
  t.equal(
    codeOf(() => ledgerOver(store, tenure, options)),
    "LEDGER_DAMAGED",
  )
})

/** It writes or it does not, and never knows. */
class SilentStore extends MemoryStore {
  readonly #bytes: MemoryStorage
  silence: "none" | "written" | "lost" = "none"
  appends = 0

  constructor(storage: MemoryStorage) {
    super(storage)
    this.#bytes = storage
  }

  override async append(...[batch, onShown]: Parameters<MemoryStore["append"]>): Promise<Appended> {
    this.appends += 1
    if (this.silence === "none") return super.append(batch, onShown)
    if (this.silence === "written") this.#bytes.write({ ...batch, changes: [...batch.changes] })
    return { is: "unknown", cause: new Error("no answer") }
  }
}

t.test("C-1710: a commit whose outcome is unknown is answered once it is known", async (t) => {
  for (const silence of ["written", "lost"] as const) {
    const storage = new MemoryStorage(newLedger(KEY))
    const batches: number[] = []
    let commits = 0
    const options = { onBatch: (requests: number) => batches.push(requests), onCommit: () => (commits += 1) }
    const store = new SilentStore(storage)
    const ledger = await over(storage, options, store)
    await ledger.commit([creation("org")])
    store.silence = silence
    let isAnswered = false
    const commit = ledger.commit([update("org", { put: [row("a")] })]).then(() => (isAnswered = true))
    const next = ledger.commit([update("org", { put: [row("b")], mustBeAbsent: [row("b")] })])
    await until(() => store.appends > 4)
    t.equal(storage.state.rowsIn("org").length, silence === "written" ? 2 : 0)
    t.notOk(isAnswered)
    t.equal(ledger.row("org", "record", "a"), undefined, "decisions see the state before")
    t.strictSame([batches, commits], [[1], 1])
    store.silence = "none"
    await commit
    await next
    t.strictSame(ledger.row("org", "record", "a"), bytes("a"))
    t.strictSame([batches, commits, storage.batches.length], [[1, 2], 2, 2], "it is one transaction")
    await ledger.commit([update("org", { put: [row("c")] })])
    await ledger.close()
    const again = await over(storage)
    t.strictSame(
      again.rows("org", "record").map(({ key }) => key),
      ["a", "b", "c"],
    )
  }
})

t.test("W101: an outcome that stays unknown is never answered; the next start finds it out", async (t) => {
  const storage = new MemoryStorage(newLedger(KEY))
  const terminations: unknown[] = []
  const store = new SilentStore(storage)
  const ledger = await over(storage, { terminate: (error) => terminations.push(error) }, store)
  await ledger.commit([creation("org")])
  store.silence = "lost"
  const outcomes = Promise.allSettled([
    ledger.commit([update("org", { put: [row("a")] })]),
    ledger.commit([update("org", { mustBeAbsent: [row("a")] })]),
  ])
  let later: PromiseSettledResult<void>[] | undefined
  void Promise.allSettled([ledger.commit([update("org", { put: [row("later")] })])]).then(
    (all) => (later = all),
  )
  await until(() => store.appends > 3)
  t.equal(later, undefined, "the next transaction waits")
  await ledger.close()
  const reason = {
    message: "it is unknown whether a transaction was written",
    cause: { message: "no answer" },
  }
  t.match(await outcomes, [{ reason }, { status: "rejected" }])
  await until(() => later !== undefined)
  t.equal(later![0]!.status, "rejected")
  t.match(terminations, [reason])
})

t.test(
  "W100: a ledger whose place another one took acknowledges nothing, and ends the process",
  async (t) => {
    const storage = new MemoryStorage(newLedger(KEY))
    const terminations: unknown[] = []
    const ledger = await over(storage, { terminate: (error) => terminations.push(error) })
    await ledger.commit([creation("org")])
    const next = await over(storage)
    const message = "another writer has the ledger: fenced"
    await t.rejects(ledger.commit([update("org", { put: [row("late")] })]), { message })
    t.match(terminations, [{ message }])
    await t.rejects(ledger.commit([creation("later")]), { message: "the ledger failed" })
    t.notOk(ledger.isFull())
    await next.commit([update("org", { put: [row("new")] })])
    t.strictSame(
      next.rows("org", "record").map(({ key }) => key),
      ["new"],
    )
  },
)

t.test("C2: a full store refuses changes, and a store that broke ends the process", async (t) => {
  const storage = new MemoryStorage(newLedger(KEY))
  const terminations: unknown[] = []
  const store = new MemoryStore(storage)
  const ledger = await over(storage, { terminate: (error) => terminations.push(error) }, store)
  storage.room = 10
  await t.rejects(ledger.commit([creation("org", [row("a value too long")])]), { code: "LEDGER_FULL" })
  t.ok(ledger.isFull())
  await ledger.commit([creation("org", [row("short")])])
  t.notOk(ledger.isFull())
  t.strictSame(terminations, [])
  storage.next = "torn"
  await t.rejects(ledger.commit([creation("torn")]), { message: /broke/ })
  t.match(terminations, [{ message: /broke/ }])
  store.onFault?.(new Error("again"))
  t.equal(terminations.length, 1, "once")
})

t.test("a store that cannot go on between two appends ends the process", async (t) => {
  const terminations: unknown[] = []
  const store = new MemoryStore(new MemoryStorage(newLedger(KEY)))
  const tenure = await store.takeOver()
  ledgerOver(store, tenure, { key: KEY, terminate: (error) => terminations.push(error) })
  store.onFault?.(new Error("the lock is gone"))
  await turn()
  t.match(terminations, [{ message: "the lock is gone" }])
})
