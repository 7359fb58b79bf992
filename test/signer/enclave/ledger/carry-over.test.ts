// A ledger of the format before is verified whole and carried over, in one step that may end anywhere.
import { spawnSync } from "node:child_process"
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import t from "tap"
import type { CarryOverEvent } from "../../../../signer/enclave/ledger/carry-over/carry-over.ts"
import { type Ledger, OUTCOMES } from "../../../../signer/enclave/ledger/ledger.ts"
import { isLong } from "../../../harness/long.ts"
import { contentOf, expectedContent, openGolden, readGolden, unpack } from "./golden-ledger.ts"
import { codeOf, copy, create, creation, databaseOf, KEY, tamper } from "./harness.ts"

const FILE = "ledger-2.json"
const golden = readGolden(FILE)

function formatOf(directory: string): unknown {
  const database = new DatabaseSync(databaseOf(directory))
  const format = database.prepare("PRAGMA user_version").get()?.["user_version"]
  database.close()
  return format
}

t.test("a ledger of format 2 is carried over with all its rows, and stays so", async (t) => {
  const directory = unpack(golden, t.testdir())
  const events: CarryOverEvent[] = []
  const ledger = openGolden(golden, directory, { onCarryOver: (event) => events.push(event) })
  t.strictSame(contentOf(ledger), expectedContent(golden))
  const sequence = BigInt(golden.sequence) + 1n
  t.strictSame(ledger.position().lanes, [
    { lane: 0, fence: 1, epoch: 0, sequence },
    { lane: 1, fence: 1, epoch: 0, sequence },
  ])
  t.match(events, [{ is: "begun" }, { is: "done", rows: 93 }])
  await ledger.commit([creation("new")])
  await ledger.commit(
    [],
    [{ shard: OUTCOMES, update: [{ kind: "outcome", key: "org/1/key", next: () => undefined }] }],
  )
  await ledger.close()
  t.equal(formatOf(directory), 3)
  t.strictSame(readdirSync(directory).toSorted(), ["ledger.sqlite", "ledger.sqlite-lock", "ledger.witness"])
  const again = openGolden(golden, directory, { onCarryOver: () => t.fail("it is carried over once") })
  t.equal(again.rows(OUTCOMES, "outcome").length, 1)
  t.equal(again.sequence(), sequence + 2n)
  await again.close()
})

const WRITES = new Set(["exec", "run", "writeSync", "renameSync"])

t.test(
  "C1: kill -9 at a call while a ledger is carried over leaves one ledger, with all its rows",
  async (t) => {
    const root = t.testdir()
    const directory = join(root, "ledger")
    const kill = new URL("kill-at.ts", import.meta.url).href
    const program = new URL("open-golden.ts", import.meta.url).pathname
    const start = (at: number) =>
      spawnSync(process.execPath, ["--import", kill, program, FILE, directory], {
        encoding: "utf8",
        env: { ...process.env, KILL_AT: String(at) },
      })
    unpack(golden, directory)
    const names = start(0).stdout.trim().split(" ")
    const calls = names.length
    t.ok(calls > 200, `${calls} calls`)
    const formats = new Map<unknown, number>()
    // Most calls write rows within the transaction. The short form takes some of them, and of the last ones those that change a file.
    const isTried = (at: number) =>
      isLong || at % 64 === 0 || at === calls || (at > calls - 50 && WRITES.has(names[at - 1] ?? ""))
    for (let at = 1; at <= calls; at++) {
      if (!isTried(at)) continue
      rmSync(directory, { recursive: true })
      unpack(golden, directory)
      t.equal(start(at).signal, "SIGKILL", `call ${at}`)
      const format = formatOf(copy(directory, join(root, `seen ${at}`)))
      formats.set(format, (formats.get(format) ?? 0) + 1)
      const ledger = openGolden(golden, directory)
      t.strictSame(contentOf(ledger), expectedContent(golden), `call ${at}, format ${String(format)}`)
      t.equal(ledger.sequence(), BigInt(golden.sequence) + 1n)
      await ledger.close()
      t.notOk(existsSync(join(directory, "ledger.witness-next")))
    }
    t.strictSame([...formats.keys()], [2, 3], "killed before the commit and after it")
  },
)

const ALTERED: Record<string, string> = {
  "a row's value": "UPDATE entry SET value = x'00' WHERE number = 5",
  "a row's MAC": "UPDATE entry SET mac = zeroblob(32) WHERE number = 5",
  "a row removed": "DELETE FROM entry WHERE number = 5",
  "a row of an organization that never was": "UPDATE entry SET organization_id = 'ghost' WHERE number = 5",
  "a row added to an organization that never was":
    "INSERT INTO entry SELECT 999, 'ghost', kind, key, expires_ms, value, mac FROM entry LIMIT 1",
  "a head": "UPDATE organization SET version = x'0000000000000009' WHERE id = 'org'",
  "an organization removed":
    "DELETE FROM organization WHERE id = 'twin'; DELETE FROM entry WHERE organization_id = 'twin'",
  "the sequence": "UPDATE deployment SET sequence = x'00000000000000ff'",
  "the time floor": "UPDATE deployment SET floor_ms = 1",
  "no deployment": "DELETE FROM deployment",
  "no identity": "DELETE FROM ledger",
  "a trigger": "CREATE TRIGGER t AFTER INSERT ON entry BEGIN DELETE FROM entry; END",
  "a lost index": "DROP INDEX entry_by_name",
}

t.test("W71: a ledger of format 2 with an alteration is not carried over, and stays as it is", async (t) => {
  const root = t.testdir()
  for (const [title, sql] of Object.entries(ALTERED)) {
    const directory = unpack(golden, join(root, title))
    tamper(directory, (database) => database.exec(sql))
    t.equal(
      codeOf(() => openGolden(golden, directory)),
      "LEDGER_DAMAGED",
      title,
    )
    t.equal(formatOf(directory), 2, title)
  }
  const directory = unpack(golden, join(root, "another key"))
  t.equal(
    codeOf(() => openGolden({ ...golden, key: "00".repeat(32) }, directory)),
    "LEDGER_FOREIGN",
  )
  t.equal(formatOf(directory), 2)
})

t.test("W71: a ledger of format 2 behind its witness, or without one, is not carried over", async (t) => {
  const root = t.testdir()
  const witness = "ledger.witness"
  const attacks: ((file: string) => void)[] = [
    (file) => rmSync(file),
    (file) => writeFileSync(file, readFileSync(file).subarray(0, 39)),
    (file) => writeFileSync(file, readFileSync(file).fill(0, 0, 8)),
    // The witness of this format, of a ledger with the same key.
    (file) => {
      const carried = unpack(golden, join(root, "carried"))
      codeOf(() => openGolden(golden, carried).close())
      cpSync(join(carried, witness), file)
    },
  ]
  for (const [index, attack] of attacks.entries()) {
    const directory = unpack(golden, join(root, String(index)))
    attack(join(directory, witness))
    t.equal(
      codeOf(() => openGolden(golden, directory)),
      "LEDGER_DAMAGED",
    )
    t.equal(formatOf(directory), 2)
  }
})

t.test("a ledger is not carried over on a disk without room for it, and nothing is changed", async (t) => {
  const directory = unpack(golden, t.testdir())
  const open = (freeBytes: number) =>
    codeOf(() => openGolden(golden, directory, { freeBytes: () => freeBytes }))
  t.equal(open(16 * 1024 * 1024), "LEDGER_FULL")
  t.equal(formatOf(directory), 2)
  t.throws(() => openGolden(golden, directory, { freeBytes: () => 0 }), {
    message: /takes \d+ free bytes, and its disk has 0/,
  })
  const ledger: Ledger = openGolden(golden, directory, { freeBytes: () => 1e9 })
  t.strictSame(contentOf(ledger), expectedContent(golden))
  await ledger.close()
})

t.test("a new ledger is of the present format", async (t) => {
  const directory = t.testdir()
  await create(directory, { key: KEY }).close()
  t.equal(formatOf(directory), 3)
})
