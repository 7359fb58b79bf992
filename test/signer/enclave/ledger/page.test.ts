// Pages of rows: every row once, and no shard is read beyond the page.
import t from "tap"
import {
  allRows,
  type Ledger,
  type LedgerRow,
  type PageLimits,
  type RowKind,
} from "../../../../signer/enclave/ledger/ledger.ts"
import { bytes, codeOf, create, creation, open, tamper, update } from "./harness.ts"

const KIND = "archive-record"
const limits = { ownRows: 4 }
const MAX_PAGES = 100
const ALL = { rows: 1000, bytes: 1000 }

const rows = (count: number): LedgerRow[] =>
  Array.from({ length: count }, (_, index) => ({ kind: KIND, key: `1/${index}`, value: bytes("12345678") }))

async function createFilled(directory: string, count: number): Promise<Ledger> {
  const ledger = create(directory, { limits })
  await ledger.commit([creation("org", rows(count)), creation("other", rows(3))])
  return ledger
}

function keysOfPages(ledger: Ledger, pageLimits: PageLimits, kind: RowKind = KIND): string[][] {
  const pages: string[][] = []
  let after = ""
  do {
    const { rows: found, next } = ledger.page("org", kind, after, pageLimits)
    pages.push(found.map(({ key }) => key))
    after = next
    if (pages.length > MAX_PAGES) throw new Error("the pages have no end")
  } while (after !== "")
  return pages
}

t.test("pages have every row of the organization once", async (t) => {
  const ledger = await createFilled(t.testdir(), 50)
  const keys = rows(50).map(({ key }) => key)
  for (const count of [1, 3, 7, 49, 50, 51]) {
    const pages = keysOfPages(ledger, { ...ALL, rows: count })
    t.equal(pages.length, Math.ceil(50 / count))
    t.ok(pages.every((page) => page.length <= count))
    t.same(pages.flat().toSorted(), keys.toSorted(), `${count} rows a page`)
  }
  t.same(ledger.page("org", "name", "", ALL), { rows: [], next: "" })
  t.same(ledger.page("nobody", KIND, "", ALL), { rows: [], next: "" })
  await ledger.close()
})

t.test("a page ends before its bytes are exceeded, and has one row at least", async (t) => {
  const ledger = await createFilled(t.testdir(), 20)
  t.same(
    keysOfPages(ledger, { ...ALL, bytes: 16 }).map(({ length }) => length),
    Array.from({ length: 10 }, () => 2),
  )
  t.equal(ledger.page("org", KIND, "", { ...ALL, bytes: 1 }).rows.length, 1)
  await ledger.close()
})

t.test("a page continues behind rows that were removed meanwhile", async (t) => {
  const ledger = await createFilled(t.testdir(), 30)
  const ten = { ...ALL, rows: 10 }
  const pages = keysOfPages(ledger, ten)
  const { rows: first, next } = ledger.page("org", KIND, "", ten)
  await ledger.commit([update("org", { remove: first })])
  const second = ledger.page("org", KIND, next, ten)
  t.same(
    second.rows.map(({ key }) => key),
    pages[1],
  )
  await ledger.close()
})

t.test("a page reads no shard beyond it", async (t) => {
  const directory = t.testdir()
  const ledger = await createFilled(directory, 50)
  const ten = { ...ALL, rows: 10 }
  const last = keysOfPages(ledger, ten).flat().at(-1)!
  await ledger.close()
  tamper(directory, (database) => {
    database.prepare("UPDATE entry SET value = x'00' WHERE organization_id LIKE 'org%' AND key = ?").run(last)
  })
  const damaged = open(directory, { limits })
  t.equal(damaged.page("org", KIND, "", ten).rows.length, 10)
  t.equal(
    codeOf(() => keysOfPages(damaged, ten)),
    "LEDGER_DAMAGED",
  )
  await damaged.close()
})

t.test("A3: a missing row is noticed by the page of its shard", async (t) => {
  const directory = t.testdir()
  await (await createFilled(directory, 4)).close()
  tamper(directory, (database) =>
    database.exec("DELETE FROM entry WHERE organization_id = 'org' AND key = '1/2'"),
  )
  const damaged = open(directory, { limits })
  t.equal(
    codeOf(() => damaged.page("org", KIND, "", ALL)),
    "LEDGER_DAMAGED",
  )
  await damaged.close()
})

t.test("pages may end within a shard", async (t) => {
  const ledger = create(t.testdir(), { limits })
  // The rows of a group are in 16 shards, and in the organization's own.
  const put = rows(50).map((each): LedgerRow => ({ ...each, kind: "wallet-account" }))
  await ledger.commit([creation("org", put)])
  for (const count of [1, 2, 7]) {
    const keys = keysOfPages(ledger, { ...ALL, rows: count }, "wallet-account").flat()
    t.same(keys.toSorted(), put.map(({ key }) => key).toSorted(), `${count} rows a page`)
  }
  await ledger.close()
})

t.test("all rows are read page by page, of a hundred rows and one MiB at most", async (t) => {
  const readAll = async (sizes: readonly number[]) => {
    const ledger = create(`${t.testdir({})}/ledger`)
    const put = sizes.map(
      (size, index): LedgerRow => ({ kind: "pending", key: `${index}`, value: new Uint8Array(size) }),
    )
    await ledger.commit([creation("org", put)])
    const steps = allRows(ledger, "org", "pending")
    let pages = 1
    let result = steps.next()
    for (; result.done !== true && pages < MAX_PAGES; pages++) result = steps.next()
    t.strictSame(result.value, ledger.rows("org", "pending"))
    await ledger.close()
    return pages
  }
  t.equal(await readAll(Array.from({ length: 250 }, () => 1)), 3)
  t.equal(await readAll(Array.from({ length: 5 }, () => 500 * 1024)), 3)
  t.equal(await readAll([]), 1)
})

t.test("a row with an empty key is on the first page, and only there", async (t) => {
  const ledger = create(t.testdir(), { limits })
  const put: LedgerRow[] = ["", "a", "b"].map((key) => ({ kind: KIND, key, value: bytes(key) }))
  await ledger.commit([creation("org", put)])
  t.same(keysOfPages(ledger, { ...ALL, rows: 1 }), [[""], ["a"], ["b"]])
  await ledger.close()
})
