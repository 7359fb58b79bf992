import { spawnSync } from "node:child_process"
import { createHmac } from "node:crypto"
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { createLedger, removeIncompleteLedger } from "../../../../signer/enclave/ledger/create-ledger.ts"
import { creation, codeOf, create, databaseOf, KEY, open, tamper } from "./harness.ts"

t.test("opening an empty directory is refused LEDGER_MISSING", async (t) => {
  const directory = t.testdir()
  t.equal(
    codeOf(() => open(directory)),
    "LEDGER_MISSING",
  )
  t.equal(
    codeOf(() => open(join(directory, "nowhere"))),
    "LEDGER_MISSING",
  )
  t.strictSame(readdirSync(directory), [], "and makes none")
})

t.test("opening with another key or another ledger's identity is refused LEDGER_FOREIGN", async (t) => {
  const directory = t.testdir()
  await create(directory).close()
  t.equal(
    codeOf(() => open(directory, { key: new Uint8Array(32) })),
    "LEDGER_FOREIGN",
  )
  tamper(directory, (database) => database.exec("UPDATE ledger SET identity = randomblob(32)"))
  t.equal(
    codeOf(() => open(directory)),
    "LEDGER_FOREIGN",
  )
})

t.test(
  "a ledger of another format is refused LEDGER_FORMAT_UNKNOWN, and changing its number does not help",
  async (t) => {
    const directory = t.testdir()
    await create(directory).close()
    for (const format of [1, 4]) {
      tamper(directory, (database) => database.exec(`PRAGMA user_version = ${format}`))
      t.equal(
        codeOf(() => open(directory)),
        "LEDGER_FORMAT_UNKNOWN",
        `format ${format}`,
      )
    }
    tamper(directory, (database) => database.exec("PRAGMA user_version = 2"))
    t.equal(
      codeOf(() => open(directory)),
      "LEDGER_DAMAGED",
      "a ledger of this format that says it is of the one before",
    )
    tamper(directory, (database) => database.exec("PRAGMA user_version = 3"))
    await open(directory).close()
    // Format 1 sealed its identity alone.
    tamper(directory, (database) => {
      const { identity } = database.prepare("SELECT identity FROM ledger").get()!
      const fields = [Buffer.from("ledger/identity"), Buffer.from(identity as Uint8Array)]
      const message = fields.flatMap((field) => [Buffer.from([0, 0, 0, field.length]), field])
      const seal = createHmac("sha512", KEY).update(Buffer.concat(message)).digest().subarray(0, 32)
      database.prepare("UPDATE ledger SET seal = ?").run(seal)
    })
    t.equal(
      codeOf(() => open(directory)),
      "LEDGER_FOREIGN",
      "a ledger of format 1 that says it is of this format",
    )
  },
)

t.test("the ledger's files are readable by their owner only, whatever the umask", async (t) => {
  const directory = join(t.testdir(), "ledger")
  const umask = process.umask(0)
  const ledger = create(directory)
  await ledger.commit([creation("org")])
  process.umask(umask)
  t.equal(statSync(directory).mode & 0o777, 0o700)
  const files = readdirSync(directory)
  t.strictSame(files.toSorted(), [
    "ledger.sqlite",
    "ledger.sqlite-lock",
    "ledger.sqlite-shm",
    "ledger.sqlite-wal",
    "ledger.witness",
  ])
  for (const file of files) t.equal(statSync(join(directory, file)).mode & 0o777, 0o600, file)
  await ledger.close()
})

t.test("creating a second ledger in a directory is refused", async (t) => {
  const directory = t.testdir()
  createLedger({ directory, key: KEY })
  t.equal(
    codeOf(() => createLedger({ directory, key: KEY })),
    "LEDGER_FOREIGN",
  )
  rmSync(databaseOf(directory))
  t.equal(
    codeOf(() => createLedger({ directory, key: KEY })),
    "LEDGER_FOREIGN",
  )
})

t.test(
  "a ledger of an interrupted creation does not open, and can be removed and created again",
  async (t) => {
    const interruptions = [
      () => {},
      (directory: string) => writeFileSync(databaseOf(directory), ""),
      (directory: string) => tamper(directory, (database) => database.exec("CREATE TABLE ledger (id)")),
      (directory: string) => createLedger({ directory, key: KEY }),
      (directory: string) => {
        createLedger({ directory, key: KEY })
        tamper(directory, (database) => database.exec("DELETE FROM lane"))
      },
      (directory: string) => {
        createLedger({ directory, key: KEY })
        rmSync(join(directory, "ledger.witness"))
      },
    ]
    const root = t.testdir()
    for (const [index, interrupt] of interruptions.entries()) {
      const directory = join(root, `${index}`)
      removeIncompleteLedger(directory)
      createLedger({ directory, key: KEY })
      removeIncompleteLedger(directory)
      interrupt(directory)
      const refused = codeOf(() => open(directory, { key: new Uint8Array(32) }))
      t.match(refused, /^LEDGER_/)
      removeIncompleteLedger(directory)
      t.notOk(existsSync(databaseOf(directory)))
      await create(directory).close()
    }
  },
)

t.test("a ledger that was used is not removed", async (t) => {
  const directory = t.testdir()
  const ledger = create(directory)
  t.equal(
    codeOf(() => removeIncompleteLedger(directory)),
    "LedgerInUse",
  )
  await ledger.commit([creation("org")])
  await ledger.close()
  t.equal(
    codeOf(() => removeIncompleteLedger(directory)),
    "LEDGER_FOREIGN",
  )
  await open(directory).close()
  writeFileSync(databaseOf(directory), "not a database, but perhaps what is left of one".repeat(100))
  t.equal(
    codeOf(() => removeIncompleteLedger(directory)),
    "LEDGER_DAMAGED",
  )
  t.ok(existsSync(databaseOf(directory)))
})

t.test("a ledger is open in one process only", async (t) => {
  const directory = t.testdir()
  const ledger = create(directory)
  await ledger.commit([creation("org")])
  t.equal(
    codeOf(() => open(directory)),
    "LedgerInUse",
    "twice in one process",
  )
  const script = new URL("open-once.ts", import.meta.url).pathname
  const second = () => spawnSync(process.execPath, [script, directory], { encoding: "utf8" }).stdout.trim()
  t.equal(second(), "LedgerInUse", "in a second process")
  await ledger.close()
  t.equal(second(), "none", "once the first let go")
})
