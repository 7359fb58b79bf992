// Commands that make and restore parts of a backup, killed before each of their file calls: afterwards there is the old state or the whole
// new one, and the command given again ends what was begun.
import { createHash } from "node:crypto"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { spawnSync } from "node:child_process"
import { tmpdir } from "node:os"
import { join } from "node:path"
import t, { type Test } from "tap"
import { isEmptySchema } from "../../services/api/store/schema.ts"
import { backUpAll, emptyHost, holderFiles, signerCommand, sharedSystemToBackUp } from "../harness/backups.ts"
import { freshDatabase } from "../harness/database.ts"
import { type Ended, runCommandLine } from "../harness/commands.ts"
import { casesOf, isLong } from "../harness/long.ts"
import { patienceMs } from "../harness/patience.ts"

t.setTimeout(patienceMs(900_000))

const ROOT = join(import.meta.dirname, "..", "..")
const HOOK = join(import.meta.dirname, "..", "harness", "kill-at-file.mjs")
type Command = { words: readonly string[]; environment: NodeJS.ProcessEnv; isSending?: boolean }

type Killed = Ended & { isKilled: boolean; calls: number }

/** Runs a command that is killed before its file call with this number. `calls`: those of a command that ended by itself. */
function killedAt(
  step: number,
  { words: [program = "", ...words], environment, isSending = false }: Command,
): Killed {
  const count = join(tmpdir(), `kill-count-${process.pid}`)
  const { status, signal, stdout, stderr } = spawnSync(
    process.execPath,
    ["--import", HOOK, join(ROOT, program), ...words],
    {
      env: {
        PATH: process.env["PATH"],
        KILL_AT: String(step),
        KILL_COUNT: count,
        ...(isSending && { KILL_AT_SENT: "1" }),
        ...environment,
      },
      encoding: "utf8",
    },
  )
  const calls = signal === null ? Number(readFileSync(count, "utf8")) : 0
  return { isKilled: signal === "SIGKILL", calls, status, out: stdout, log: stderr }
}

/** Runs a command that nobody kills. */
const whole = ({ words: [program = "", ...words], environment }: Command): Promise<Ended> =>
  runCommandLine({
    program,
    words,
    environment: { PATH: process.env["PATH"], ...environment },
    input: "",
  })

/** Kills at each of so many steps, in the short form at the last of them, and at the first if a test needs both; `judge` sees what is left. */
async function atEachStep(
  calls: number,
  run: (step: number) => Killed,
  judge: (ended: Killed, step: number) => Promise<void>,
  { isFirstNeeded = false } = {},
): Promise<void> {
  if (isLong) for (let step = 1; step < calls; step++) await judge(run(step), step)
  else if (isFirstNeeded) await judge(run(1), 1)
  await judge(run(calls), calls)
}

/** A note of a restoration has its time, and chance in its name. */
const NOTE = /command-[\d-]+-[0-9a-f]+\.json$/

/** Names and digests of all files below a folder; of a note what it says. */
function contentOf(folder: string): { [name: string]: string } {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted()
  const files = names.filter((name) => statSync(join(folder, name)).isFile())
  const content = (name: string) => {
    const bytes = readFileSync(join(folder, name))
    if (!NOTE.test(name)) return createHash("sha256").update(bytes).digest("hex")
    const { atMs: _, ...said } = JSON.parse(bytes.toString()) as { atMs: number }
    return JSON.stringify(said)
  }
  return Object.fromEntries(files.map((name) => [name.replace(NOTE, "command.json"), content(name)]))
}

const { system, directory, url } = await sharedSystemToBackUp()
await system.createOrganization()
const folder = emptyHost(t)
const { key, holders } = holderFiles(folder)
const backup = await backUpAll({ directory, url, holders, out: join(folder, "backup") })
const { backupId } = JSON.parse(
  (await signerCommand(directory, "backup", "verify", backup, "--json")).out,
) as {
  backupId: string
}

/** A folder of another file system than that of temporary files; undefined: there is none. */
function otherDisk(t: Test): string | undefined {
  const own = statSync(tmpdir()).dev
  const parent = ["/tmp", "/var/tmp", "/dev/shm", ROOT].find(
    (path) => existsSync(path) && statSync(path).dev !== own,
  )
  if (parent === undefined) return undefined
  const folder = mkdtempSync(join(parent, "cs-other-disk-"))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

// First: the signer holds the copy of a killed command for a minute, and refuses another meanwhile.
t.test(
  "C-1765: a signer that is killed while it copies its ledger serves again, and the next backup is whole",
  async (t) => {
    const create = (out: string) => [
      "backup",
      "create",
      "--to",
      holders,
      "--wait",
      "60",
      "--out",
      join(folder, out),
    ]
    const beside = join(directory, "signer", "ledger.backup-in-progress")
    const broken = signerCommand(directory, ...create("broken"))
    while (!existsSync(beside)) await new Promise((resolve) => setTimeout(resolve, 5))
    await system.killSigner()
    const ended = await broken
    await system.startSigner()
    system.unref()
    // The copy may have been done just before.
    if (ended.status !== 0) {
      t.match(ended.log, /countersign-signer: .+/)
      t.notOk(existsSync(join(folder, "broken")), "nothing is kept")
    }
    t.notOk(existsSync(beside), "a start removes what was copied")
    t.match(await signerCommand(directory, ...create("next")), { status: 0 })
    t.match(await signerCommand(directory, "backup", "verify", join(folder, "next")), { status: 0 })
  },
)

t.test("C-1765, W132: a command that is killed at a step makes its part whole or not at all", async (t) => {
  const environment = { COUNTERSIGN_DATA_DIR: directory, DATABASE_URL: url }
  const create = (out: string) => ["create", "--to", holders, "--out", out]
  const commands: [name: string, words: (out: string) => string[]][] = [
    // With the id of a given part the signer goes on with the copy that it made for the killed command.
    ["signer", (out) => ["signer/operator/main.ts", "backup", ...create(out), `${backup}.database`]],
    // After the signer: its copy ends with the backup that a part of the same id is joined to.
    ["database", (out) => ["services/node/main.ts", "backup", "database", ...create(out), "--id", backupId]],
    ["fetcher", (out) => ["signer/fetcher/main.ts", "backup", ...create(out), "--id", backupId]],
    ["auth proxy", (out) => ["services/node/main.ts", "backup", "proxy", ...create(out), "--id", backupId]],
  ]
  for (const [name, words] of casesOf(2, commands)) {
    const out = join(folder, `${name.replace(" ", "-")}.out`)
    const { calls, log: fault } = killedAt(0, { words: words(out), environment })
    t.ok(calls > 5, `${name}: ${calls} steps: ${fault}`)
    rmSync(out)
    await atEachStep(
      calls,
      (step) => killedAt(step, { words: words(out), environment }),
      async ({ isKilled, status, log }, step) => {
        if (!isKilled) t.equal(status, 0, `${name}: ${log}`)
        // Killed after it had its name the file is whole: the next command says that it is there.
        const isThere = existsSync(out)
        if (isKilled) {
          const again = await whole({ words: words(out), environment })
          t.equal(again.status, isThere ? 2 : 0, `${name}, step ${step}: ${again.log}`)
        }
        const join = ["backup", "create", "--to", holders, "--out", `${out}.joined`]
        const judged =
          name === "signer"
            ? await signerCommand(directory, "backup", "verify", out)
            : await signerCommand(directory, ...join, out)
        t.equal(judged.status, 0, `${name}, step ${step}: the file is whole: ${judged.log}`)
        const left = readdirSync(folder).filter((file) => file.endsWith(".unfinished"))
        t.strictSame(left, [], `${name}, step ${step}`)
        rmSync(out)
        rmSync(`${out}.joined`, { force: true })
      },
    )
  }
})

t.test(
  "C-1765, W132: a command that is killed at a step restores its part whole or not at all",
  async (t) => {
    const restore = ["restore", backup, "--key", key]
    const far = otherDisk(t)
    const files: [name: string, words: string[], secret: string, settings: NodeJS.ProcessEnv][] = [
      ["signer", ["signer/operator/main.ts", "backup", ...restore], "signer/root-seed", {}],
      ["fetcher", ["signer/fetcher/main.ts", "backup", ...restore], "fetcher/seed", {}],
      [
        "auth proxy",
        ["services/node/main.ts", "backup", "proxy", ...restore],
        "auth-proxy/key",
        { DATABASE_URL: url },
      ],
    ]
    for (const [name, words, secret, settings] of casesOf(1, files)) {
      const wholeHost = emptyHost(t)
      const run = (host: string, step: number) =>
        killedAt(step, { words, environment: { ...settings, COUNTERSIGN_DATA_DIR: host } })
      const { status, calls } = run(wholeHost, 0)
      t.equal(status, 0)
      const expected = contentOf(wholeHost)
      const found = new Set<boolean>()
      let host = ""
      await atEachStep(
        calls,
        (step) => run((host = emptyHost(t)), step),
        async ({ isKilled }, step) => {
          const isPlaced = existsSync(join(host, secret))
          found.add(isPlaced)
          const placed = Object.fromEntries(
            Object.entries(contentOf(host)).filter(([file]) => !file.includes("-in-progress")),
          )
          if (isPlaced) t.strictSame(placed, expected, `${name}, step ${step}: all of it is there`)
          if (!isKilled) return
          const again = await whole({
            words,
            environment: { ...settings, COUNTERSIGN_DATA_DIR: host },
          })
          if (!isPlaced) t.equal(again.status, 0, `${name}, step ${step}: ${again.log}`)
          t.strictSame(contentOf(host), expected, `${name}, step ${step}: the command given again ends it`)
        },
        { isFirstNeeded: true },
      )
      t.equal(found.size, 2, `${name}: killed before and after`)
    }

    await t.test(
      "the ledger goes to another disk",
      { skip: far === undefined ? "not run: one disk" : false },
      async (t) => {
        const words = ["signer/operator/main.ts", "backup", ...restore]
        let number = 0
        const places = () => {
          const [host, ledger] = [emptyHost(t), join(far!, String(++number), "ledger")]
          const environment = {
            COUNTERSIGN_DATA_DIR: host,
            COUNTERSIGN_SIGNER_LEDGER_DIRECTORY: join(host, "ledger"),
            COUNTERSIGN_SIGNER_AUDIT_DIRECTORY: join(ledger, "..", "audit"),
            COUNTERSIGN_SIGNER_SEED_FILE: join(ledger, "..", "root-seed"),
          }
          return { environment, seen: () => [contentOf(host), contentOf(join(ledger, ".."))] }
        }
        const wholePlaces = places()
        const { status, calls } = killedAt(0, { words, environment: wholePlaces.environment })
        t.equal(status, 0)
        let on = wholePlaces
        await atEachStep(
          calls,
          (step) => killedAt(step, { words, environment: (on = places()).environment }),
          async ({ isKilled }, step) => {
            const isPlaced = existsSync(on.environment.COUNTERSIGN_SIGNER_SEED_FILE)
            const again = isKilled ? await whole({ words, environment: on.environment }) : undefined
            if (!isPlaced) t.equal(again?.status, 0, `step ${step}: ${again?.log ?? ""}`)
            t.strictSame(on.seen(), wholePlaces.seen(), `step ${step}`)
          },
        )
      },
    )
  },
)

t.test(
  "C-1765, W132: a command that is killed at a step restores a database whole or leaves it empty",
  async (t) => {
    const words = ["services/node/main.ts", "backup", "database", "restore", backup, "--key", key]
    const found = new Set<boolean>()
    let target = await freshDatabase(t, { migrated: false })
    let host = emptyHost(t)
    const environment = () => ({ COUNTERSIGN_DATA_DIR: host, DATABASE_URL: target.url })
    const { calls } = killedAt(0, { words, environment: environment(), isSending: true })
    target = await freshDatabase(t, { migrated: false })
    host = emptyHost(t)
    await atEachStep(
      calls,
      (step) => killedAt(step, { words, environment: environment(), isSending: true }),
      async ({ isKilled, log, status }, step) => {
        if (!isKilled) t.equal(status, 0, log)
        const isRestored = !(await isEmptySchema(target.sql))
        found.add(isRestored)
        if (isKilled) {
          const again = await whole({ words, environment: environment() })
          // A database that has its rows is used; exported files that were not in their place yet are moved.
          t.ok(
            isRestored ? [0, 3].includes(again.status ?? -1) : again.status === 0,
            `step ${step}: ${again.log}`,
          )
        }
        const [row] = await target.sql<{ count: number }[]>`select count(*)::int as count from activities`
        t.ok((row?.count ?? 0) > 0, `step ${step}: the database has its rows`)
        t.notOk(existsSync(join(host, "exports.restoration-in-progress")), `step ${step}`)
        target = await freshDatabase(t, { migrated: false })
        host = emptyHost(t)
      },
      { isFirstNeeded: true },
    )
    t.equal(found.size, 2, "killed before and after")
  },
)
