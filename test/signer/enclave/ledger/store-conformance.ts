// The conformance suite of stores: what docs/formats/ledger.md promises of each verb. Every store of the ledger runs it.
import t, { type Test } from "tap"
import type { LedgerRow } from "../../../../signer/enclave/ledger/ledger.ts"
import type { ExpiryCursor, LedgerStore, StoredChange } from "../../../../signer/enclave/ledger/store.ts"
import { bytes } from "./harness.ts"
import { MemoryStorage, MemoryStore } from "./memory-store.ts"
import { contentOf, entry, NEW, plain, removal, shard, Writer, writerOf } from "./store-harness.ts"

/** A new ledger in a store, with what the suite does to it. */
export type StoreUnderTest = {
  /** One more store over the same stored bytes. */
  open(): Promise<LedgerStore>
  /** True: it cannot be opened while another store has it open. */
  isExclusive: boolean
  /** Room for a value of 200,000 bytes more, or none. */
  setFull(isFull: boolean): void
  /** Breaks the next append in its middle. */
  tear(): void
  /** Loses the answer of the next append, which was written or was not. Undefined: this store always knows. */
  loseAnswer: ((isWritten: boolean) => void) | undefined
}

type MakeStore = (t: Test) => StoreUnderTest

const LONG = 1_200
const longChanges = (value: string): StoredChange[] => [
  shard("org"),
  ...Array.from({ length: LONG }, (_, index) => entry("org", "record", `row ${index}`, value)),
]

/** A store that was taken over, and one more way to it. */
async function setup(t: Test, make: MakeStore) {
  const under = make(t)
  const store = await under.open()
  return { under, store, writer: await writerOf(store) }
}

/** Opens the store again, as the next start does. */
async function reopened({ under, store }: { under: StoreUnderTest; store: LedgerStore }): Promise<Writer> {
  await store.close()
  return writerOf(await under.open())
}

export function conforms(name: string, make: MakeStore): void {
  const check = (title: string, test: (t: Test) => Promise<void>) => t.test(`${name}: ${title}`, test)

  check("the first writer finds the ledger as it was created", async (t) => {
    const under = make(t)
    const store = await under.open()
    await t.rejects(store.append(new Writer(store, { ...NEW, fence: 1 }).batch([]), fail(t)), "not yet")
    await t.rejects(store.turn(), "not yet")
    const { fence, identity, seal, lanes } = await store.takeOver()
    t.ok(fence >= 1)
    t.same(
      plain({ identity, seal, lanes }),
      plain({ identity: NEW.identity, seal: NEW.seal, lanes: NEW.lanes }),
    )
    t.strictSame(plain(await contentOf(store)), {
      lanes: plain(NEW.lanes),
      shards: [plain({ name: "", stored: (NEW.changes as StoredChange[])[0]!, rows: [] })].map((each) => ({
        ...(each as object),
        stored: plain(storedOf(NEW.changes)),
      })),
    })
    await t.rejects(store.takeOver(), "once for each store")
    await store.close()
  })

  check("what is appended is shown at once, and found by the next start", async (t) => {
    const made = await setup(t, make)
    const { store, writer } = made
    await writer.write(
      shard("org"),
      entry("org", "record", "kept"),
      entry("org", "name", "gone"),
      shard("empty"),
    )
    await writer.write(
      shard("org", 2),
      entry("org", "record", "kept", "new", 5),
      removal("org", "name", "gone"),
    )
    await writer.write(
      shard("org", 3),
      removal("org", "name", "never there"),
      entry("org", "record", "more", ""),
    )
    t.equal(writer.shown, 3)
    const expected = [
      {
        name: "org",
        stored: storedOf([shard("org", 3)]),
        rows: rowsOf([entry("org", "record", "kept", "new", 5), entry("org", "record", "more", "")]),
      },
      { name: "empty", stored: storedOf([shard("empty")]), rows: [] },
      { name: "none", stored: undefined, rows: [] },
    ]
    const names = ["org", "empty", "none"]
    t.strictSame(plain(await store.load(names)), plain(expected))
    t.strictSame(plain(names.map((each) => loadedBy(store, each))), plain(expected))
    t.strictSame(plain(store.reads.row("org", { kind: "record", key: "kept" })), plain(expected[0]!.rows[0]))
    for (const [kind, key] of [
      ["record", "none"],
      ["name", "kept"],
    ] as const)
      t.equal(store.reads.row("org", { kind, key }), undefined)
    const again = await reopened(made)
    t.strictSame(plain(await again.store.load(names)), plain(expected))
    t.strictSame(plain(again.lanes), plain(writer.lanes))
    await again.store.close()
  })

  check("every value, key and time is kept as it is", async (t) => {
    const made = await setup(t, make)
    const keys = [
      "",
      " ",
      "a\nb",
      "clé €",
      "\u{10ffff}",
      "\u{ffff}",
      "'; --",
      "%_",
      "a/b",
      "A",
      "Z".repeat(500),
    ]
    const values = [bytes(""), Uint8Array.of(0), new Uint8Array(1_000_000).fill(255), bytes("text")]
    const changes = [
      shard("org"),
      ...keys.map((key) => entry("org", "record", key, bytes(`of ${key}`), Number.MAX_SAFE_INTEGER)),
      ...values.map((value, index) => entry("org", "archive-record", `${index}`, value, index || undefined)),
    ]
    await made.writer.write(...changes)
    const again = await reopened(made)
    const [loaded] = await again.store.load(["org"])
    t.strictSame(plain(loaded!.rows.toSorted(byName)), plain(rowsOf(changes).toSorted(byName)))
    await again.store.close()
  })

  check("rows and shards are in the order of their bytes in UTF-8", async (t) => {
    const { store, writer } = await setup(t, make)
    const keys = ["", "Z", "a", "a\u0001", "a/", "ab", "é", "\u{ffff}", "\u{10000}"]
    const names = keys.slice(1).map((key) => `o ${key}`)
    await writer.write(shard("org"), ...keys.toReversed().map((key) => entry("org", "record", key)))
    await writer.write(...names.toReversed().map((each) => shard(each)))
    await writer.write(shard("org"), entry("org", "name", "z"))
    const [loaded] = await store.load(["org"])
    t.strictSame(keysOf(loaded!.rows), ["z", ...keys])
    t.strictSame(keysOf(store.reads.rowsIn("org")), ["z", ...keys])
    const listed = await store.rows({ of: "shards", after: "o ", before: "o!", atMost: 100 })
    t.strictSame(
      listed.map((each) => each.name),
      names,
    )
    await store.close()
  })

  check("a page has the rows between its bounds, and pages together have all", async (t) => {
    const { store, writer } = await setup(t, make)
    const keys = Array.from({ length: 30 }, (_, index) => `${index}`.padStart(2, "0"))
    const others = [entry("org", "name", "05"), entry("other", "record", "05")]
    await writer.write(
      shard("org"),
      shard("other"),
      ...others,
      ...keys.map((key) => entry("org", "record", key)),
    )
    const of = { of: "rows", shard: "org", kind: "record" } as const
    const paged = async (page: object) => keysOf(await store.rows({ ...of, atMost: 100, ...page }))
    t.strictSame(await paged({}), keys)
    t.strictSame(await paged({ from: "03", before: "06" }), ["03", "04", "05"])
    t.strictSame(await paged({ after: "03", before: "06" }), ["04", "05"])
    t.strictSame(await paged({ from: "29" }), ["29"])
    t.strictSame(await paged({ after: "29" }), [])
    t.strictSame(await paged({ atMost: 2, from: "1" }), ["10", "11"])
    t.strictSame(await paged({ kind: "pending" }), [])
    t.strictSame(await paged({ shard: "none" }), [])
    t.strictSame(keysOf(store.reads.page({ ...of, after: "27", atMost: 9 })), ["28", "29"])
    const found: string[] = []
    for (
      let page = await paged({ atMost: 7 });
      page.length > 0;
      page = await paged({ atMost: 7, after: found.at(-1) })
    )
      found.push(...page)
    t.strictSame(found, keys)
    await store.close()
  })

  check("pages between which rows change repeat no row and miss none that stays", async (t) => {
    const { store, writer } = await setup(t, make)
    const keys = Array.from({ length: 20 }, (_, index) => `${index}`.padStart(2, "0"))
    await writer.write(shard("org"), ...keys.map((key) => entry("org", "record", key)))
    const found: string[] = []
    for (let round = 0; ; round++) {
      const after = found.at(-1)
      const behind = after === undefined ? {} : { after }
      const page = await store.rows({ of: "rows", shard: "org", kind: "record", ...behind, atMost: 4 })
      if (page.length === 0) break
      found.push(...keysOf(page))
      await writer.write(
        shard("org"),
        removal("org", "record", found.at(-1)!),
        entry("org", "record", `${found[0]!} ${round}`),
        entry("org", "record", "19", `${round}`),
      )
    }
    t.strictSame(found, found.toSorted())
    t.equal(new Set(found).size, found.length)
    t.strictSame(
      keys.filter((key) => !found.includes(key)),
      [],
    )
    await store.close()
  })

  check("expired rows are paged in the order of expiry, up to a time, of all shards or of one", async (t) => {
    const { store, writer } = await setup(t, make)
    const timed = (name: string, key: string, ms?: number) => entry(name, "fingerprint", key, key, ms)
    await writer.write(shard("a"), timed("a", "late", 30), timed("a", "soon", 10), timed("a", "never"))
    await writer.write(shard("b"), timed("b", "first", 10), timed("b", "second", 10), timed("b", "next", 20))
    await writer.write(shard("a"), timed("a", "moved", 5), timed("a", "kept", 6))
    await writer.write(shard("a"), timed("a", "moved", 25), timed("a", "kept"))
    const pagesOf = async (untilMs: number, atMost: number, within?: string) => {
      const pages: string[][] = []
      let after: ExpiryCursor = { expiresMs: -1, number: 0 }
      for (;;) {
        const named = within === undefined ? {} : { shard: within }
        const page = await store.rows({ of: "expired", after, untilMs, ...named, atMost })
        t.ok(page.length <= atMost)
        if (page.length === 0) return pages
        pages.push(page.map((each) => `${each.expiresMs} ${each.shard}/${each.kind}/${each.key}`))
        after = page.at(-1)!
      }
    }
    const ALL = [
      ["10 a/fingerprint/soon", "10 b/fingerprint/first", "10 b/fingerprint/second"],
      ["20 b/fingerprint/next", "25 a/fingerprint/moved", "30 a/fingerprint/late"],
    ]
    const sorted = (pages: string[][]) => pages.map((page) => page.toSorted())
    t.strictSame(sorted(await pagesOf(1_000, 3)), ALL)
    t.strictSame((await pagesOf(1_000, 1)).flat().toSorted(), ALL.flat().toSorted())
    t.strictSame((await pagesOf(20, 10)).flat().toSorted(), ALL.flat().slice(0, 4).toSorted())
    t.strictSame(await pagesOf(9, 10), [])
    const ofOne = await store.rows({
      of: "expired",
      after: { expiresMs: -1, number: 0 },
      untilMs: 25,
      shard: "a",
      atMost: 10,
    })
    t.strictSame(ofOne.map(({ key }) => key).toSorted(), ["moved", "soon"])
    await store.close()
  })

  check("shards are paged by name; states are those of organizations", async (t) => {
    const { store, writer } = await setup(t, make)
    const changed = new Uint8Array(8).fill(1)
    await writer.write(
      shard("a", 3),
      entry("a", "changed", "", changed),
      shard("a#rows-000"),
      shard("b#1"),
      shard("c"),
    )
    const page = (bounds: object) => store.rows({ of: "shards", atMost: 10, ...bounds })
    const names = async (bounds: object) => (await page(bounds)).map((each) => each.name)
    t.strictSame(await names({}), ["", "a", "a#rows-000", "b#1", "c"])
    t.strictSame(await names({ after: "" }), ["a", "a#rows-000", "b#1", "c"])
    t.strictSame(await names({ after: "a", before: "c" }), ["a#rows-000", "b#1"])
    t.strictSame(await names({ atMost: 2 }), ["", "a"])
    const { term, mac } = storedOf([shard("a", 3)])
    t.strictSame(plain((await page({ after: "", atMost: 1 }))[0]), plain({ name: "a", term, mac }))
    const first = { organizationId: "a", version: 3n, sequence: 0x0101010101010101n }
    const second = { organizationId: "c", version: 1n, sequence: 0n }
    t.strictSame(store.reads.organizationStates("", 10), [first, second])
    t.strictSame(store.reads.organizationStates("a", 10), [second])
    t.strictSame(store.reads.organizationStates("", 1), [first])
    await store.close()
  })

  check("a lane that is not at the sequence before refuses all of a batch", async (t) => {
    const { store, writer } = await setup(t, make)
    await writer.write(shard("org"), shard("#0000"))
    const before = await contentOf(store)
    for (const rows of [[entry("org", "record", "new"), entry("#0000", "issuer", "new")], longChanges("new")])
      for (const step of [-1n, 1n, 100n]) {
        const batch = writer.batch([...rows, shard("#0000", 2)])
        const lanes = batch.lanes.map((each) =>
          each.lane === 1 ? { ...each, sequence: each.sequence + step } : each,
        )
        t.match(await writer.append({ ...batch, lanes }), { is: "refused", because: "conflict" })
      }
    t.strictSame(await contentOf(store), before, "nothing was written")
    t.equal(writer.shown, 1)
    await writer.write(entry("org", "record", "new"), shard("org", 2))
    await store.close()
  })

  check("a batch that is stored already is done, and is written once", async (t) => {
    const { under, store, writer } = await setup(t, make)
    await writer.write(shard("org"))
    for (const changes of [[entry("org", "record", "a"), shard("org", 2)], longChanges("first")]) {
      const batch = writer.batch(changes)
      t.strictSame(await writer.append(batch), { is: "done" })
      const after = await contentOf(store)
      const shown = writer.shown
      under.setFull(true)
      t.strictSame(
        await store.append(batch, () => (writer.shown += 1)),
        { is: "done" },
        "also on a full disk",
      )
      under.setFull(false)
      t.equal(writer.shown, shown + 1)
      t.strictSame(await contentOf(store), after)
      const lanes = batch.lanes.map((each) => ({ ...each, mac: new Uint8Array(32) }))
      const other = await store.append({ ...batch, lanes }, fail(t))
      t.match(other, { is: "refused", because: "conflict" }, "another batch of the same sequence")
    }
    await store.close()
  })

  check("a full disk refuses all of a batch, and the same batch is written once there is room", async (t) => {
    const made = await setup(t, make)
    const { under, store, writer } = made
    await writer.write(shard("org"), entry("org", "record", "small"))
    const before = await contentOf(store)
    const big = entry("org", "record", "big", new Uint8Array(200_000))
    for (const changes of [
      [entry("org", "name", "a"), big, shard("org", 2)],
      [...longChanges("x"), big],
    ]) {
      under.setFull(true)
      const batch = writer.batch(changes)
      const outcome = await writer.append(batch)
      t.match(outcome, { is: "refused", because: "full", cause: Error })
      t.equal(writer.shown, 1)
      t.strictSame(await contentOf(store), before, "nothing was written")
      await t.resolves(store.turn(), "it is the writer still")
      under.setFull(false)
    }
    const batch = writer.batch([big, shard("org", 2)])
    t.strictSame(await writer.append(batch), { is: "done" })
    const again = await reopened(made)
    t.equal(again.store.reads.row("org", { kind: "record", key: "big" })?.row.value.length, 200_000)
    await again.store.close()
  })

  check("a torn append is rejected, and the next start finds all of it or nothing", async (t) => {
    for (const changes of [[entry("org", "record", "torn"), shard("org", 2)], longChanges("torn")]) {
      const made = await setup(t, make)
      const { under, writer } = made
      await writer.write(shard("org"))
      under.tear()
      const batch = writer.batch(changes)
      await t.rejects(writer.append(batch))
      t.equal(writer.shown, 1)
      await t.rejects(writer.append(batch), "the store goes on with nothing")
      const again = await reopened(made)
      const found = again.store.reads.rowsIn("org").length
      const isWritten = again.lanes[1]!.sequence === batch.lanes[0]!.sequence
      t.equal(found, isWritten ? batch.rows : 0)
      if (!isWritten) await again.write(...changes)
      t.equal(again.store.reads.rowsIn("org").length, batch.rows)
      await again.store.close()
    }
  })

  check("a batch of another fence is refused", async (t) => {
    const { store, writer } = await setup(t, make)
    const before = await contentOf(store)
    for (const fence of [writer.fence - 1, writer.fence + 1]) {
      const outcome = await store.append({ ...writer.batch([shard("org")]), fence }, fail(t))
      t.match(outcome, { is: "refused", because: "fenced" })
    }
    t.strictSame(await contentOf(store), before)
    await store.close()
  })

  check("W100: a writer whose place another one has taken appends nothing", async (t) => {
    const { under, store, writer } = await setup(t, make)
    await writer.write(shard("org"))
    await store.turn()
    if (under.isExclusive) {
      await t.rejects(under.open(), { name: "LedgerInUse" })
      await store.close()
      await t.rejects(writer.write(shard("late")))
    }
    const next = await writerOf(await under.open())
    if (!under.isExclusive) {
      t.ok(next.fence > writer.fence)
      await t.rejects(store.turn())
      t.match(await writer.append(writer.batch([shard("late")])), { is: "refused", because: "fenced" })
    }
    t.strictSame(plain(next.lanes), plain(writer.lanes))
    await next.write(shard("next"))
    await next.store.turn()
    const names = (await next.store.rows({ of: "shards", atMost: 10 })).map((each) => each.name)
    t.strictSame(names, ["", "next", "org"])
    await store.close()
    await next.store.close()
  })

  check("W100: an append during which another writer takes over is stored for it, or refused", async (t) => {
    for (const changes of [[shard("org"), entry("org", "record", "a")], longChanges("a")]) {
      const { under, store, writer } = await setup(t, make)
      const batch = writer.batch(changes)
      const appending = writer.append(batch)
      const opened = await under.open().catch((error: unknown) => error as Error)
      if (opened instanceof Error) {
        t.ok(under.isExclusive)
        t.strictSame(await appending, { is: "done" })
        await store.close()
      }
      const rival = opened instanceof Error ? await under.open() : opened
      const [outcome, next] = await Promise.all([appending, writerOf(rival)])
      const isStored = next.lanes[1]!.sequence === batch.lanes[0]!.sequence
      t.match(outcome, isStored ? { is: "done" } : { is: "refused", because: "fenced" })
      t.equal(rival.reads.rowsIn("org").length, isStored ? batch.rows : 0)
      await store.close()
      await rival.close()
    }
  })

  check("W101: an append whose answer is lost is settled by appending it again", async (t) => {
    for (const isWritten of [true, false])
      for (const changes of [[shard("org"), entry("org", "record", "a")], longChanges("a")]) {
        const { under, store, writer } = await setup(t, make)
        if (under.loseAnswer === undefined) {
          t.pass("this store always knows")
          await store.close()
          continue
        }
        under.loseAnswer(isWritten)
        const batch = writer.batch(changes)
        t.match(await writer.append(batch), { is: "unknown" })
        t.equal(writer.shown, 0)
        t.strictSame(store.reads.rowsIn("org"), [], "reads do not show it before it is known")
        const { lanes } = await store.tail(writer.sequences())
        t.equal(lanes[1]!.sequence, isWritten ? 2n : 1n)
        t.strictSame(await writer.append(batch), { is: "done" })
        t.equal(writer.shown, 1)
        t.equal(store.reads.rowsIn("org").length, batch.rows)
        await writer.write(shard("org", 2))
        await store.close()
      }
  })

  check("a tail leads from a sequence to the lanes, or says that it does not", async (t) => {
    const made = await setup(t, make)
    const { store, writer } = made
    const begin = writer.sequences()
    t.same(plain(await store.tail(begin)), plain({ lanes: writer.lanes, batches: [] }))
    const first = await writer.write(shard("org"), entry("org", "record", "a"))
    const middle = writer.sequences()
    const second = await writer.write(shard("#0000"), shard("org", 2), removal("org", "record", "a"))
    const check = async (from: Writer, after: bigint[], expected: unknown[]) => {
      const { lanes, batches } = await from.store.tail(after)
      t.strictSame(plain(lanes), plain(from.lanes))
      if (batches !== undefined) t.strictSame(plain(batches), plain(expected))
      else t.not(expected.length, 0, "it has nothing only where there is something")
    }
    await check(writer, begin, [first, second])
    await check(writer, middle, [second])
    await check(writer, writer.sequences(), [])
    const next = await reopened(made)
    await check(next, middle, [second])
    const third = await next.write(shard("org", 3))
    await check(next, middle, [second, third])
    await check(next, next.sequences(), [])
    await next.store.close()
  })

  check(
    "a copy that was read while rows changed has the store's content once it followed the tail",
    async (t) => {
      const { store, writer } = await setup(t, make)
      const keys = Array.from({ length: 8 }, (_, index) => `${index}`)
      const inShard = (name: string) => keys.map((key) => entry(name, "record", key))
      await writer.write(shard("a"), ...inShard("a"), shard("b"), ...inShard("b"))
      const { lanes: begun } = await store.tail([])
      const after = begun.map(({ sequence }) => sequence)
      const copy: StoredChange[] = []
      for (const { name } of await store.rows({ of: "shards", atMost: 100 })) {
        const [loaded] = await store.load([name])
        copy.push({ is: "shard", name, stored: loaded!.stored! })
        copy.push(...loaded!.rows.map((each) => ({ is: "entry", shard: name, ...each }) as const))
        await writer.write(
          removal("a", "record", "1"),
          removal("b", "record", "2"),
          entry("a", "record", `of ${name}`),
          entry("b", "record", "3", name),
          shard("a", copy.length),
          shard("b", copy.length),
          shard(`new ${name}`),
        )
      }
      const { lanes, batches } = await store.tail(after)
      if (batches === undefined) t.pass("this store keeps no transactions")
      else {
        const follower = new MemoryStorage({ ...NEW, changes: copy })
        for (const batch of batches) follower.apply(batch)
        t.same(plain(lanes), plain(writer.lanes))
        t.strictSame(await contentOf(new MemoryStore(follower)), await contentOf(store))
      }
      await store.close()
    },
  )

  check("every verb is refused after the end, which waits for the append under way", async (t) => {
    for (const changes of [[shard("org")], longChanges("a")]) {
      const { under, store, writer } = await setup(t, make)
      const batch = writer.batch(changes)
      const [outcome] = await Promise.all([writer.append(batch), store.close()])
      t.strictSame(outcome, { is: "done" })
      const after = { expiresMs: 0, number: 0 }
      await t.rejects(store.takeOver())
      await t.rejects(store.load(["org"]))
      await t.rejects(store.rows({ of: "rows", shard: "org", kind: "record", atMost: 1 }))
      await t.rejects(store.rows({ of: "shards", atMost: 1 }))
      await t.rejects(store.rows({ of: "expired", after, untilMs: 1, atMost: 1 }))
      await t.rejects(store.append(writer.batch([shard("late")]), fail(t)))
      await t.rejects(store.turn())
      await t.rejects(store.tail([1n, 1n]))
      await t.resolves(store.close(), "a second end is none")
      const next = await writerOf(await under.open())
      t.strictSame(plain(next.lanes), plain(writer.lanes))
      t.equal(next.store.reads.shard("late"), undefined)
      await next.store.close()
    }
  })
}

const fail = (t: Test) => () => t.fail("nothing is shown")

const keysOf = (rows: readonly { row: LedgerRow }[]): string[] => rows.map(({ row }) => row.key)

const byName = (one: { row: LedgerRow }, other: { row: LedgerRow }): number =>
  Buffer.compare(
    Buffer.from(`${one.row.kind} ${one.row.key}`),
    Buffer.from(`${other.row.kind} ${other.row.key}`),
  )

function loadedBy({ reads }: LedgerStore, name: string) {
  return { name, stored: reads.shard(name), rows: reads.rowsIn(name) }
}

/** The rows that changes put. */
function rowsOf(changes: Iterable<StoredChange>) {
  return [...changes].flatMap((each) =>
    each.is === "entry" ? [{ row: each.row, term: each.term, mac: each.mac }] : [],
  )
}

/** The first shard that changes put. */
function storedOf(changes: Iterable<StoredChange>) {
  for (const each of changes) if (each.is === "shard") return each.stored
  throw new Error("there is no shard")
}
