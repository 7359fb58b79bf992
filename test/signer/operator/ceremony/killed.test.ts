// A ceremony and a change of shares that are killed at steps of their files, in the long form at every one: exactly one set is valid afterwards.
import { fork, spawnSync } from "node:child_process"
import { once } from "node:events"
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import t, { type Test } from "tap"
import { readSealedSeed } from "../../../../signer/core/sealed-seed/format.ts"
import { openByShares } from "../../../../signer/core/sealed-seed/open.ts"
import { readShare } from "../../../../signer/core/sealed-seed/share.ts"
import { readShareWords } from "../../../../signer/core/sealed-seed/share-words.ts"
import { readConfig } from "../../../../signer/enclave/config.ts"
import { createDeployment } from "../../../../signer/enclave/create-deployment.ts"
import { readStoredSeed } from "../../../../signer/process/root-seed.ts"
import { isLong } from "../../../harness/long.ts"
import { bytesOf } from "../../core/sealed-seed/sets.ts"
import type { Order } from "./ceremony-child.ts"
import { lineOf, otherSeedsIn } from "./holders.ts"

const CHILD = join(import.meta.dirname, "ceremony-child.ts")
/** More steps than any of the runs has. */
const MAX_STEPS = 200

function folder(t: Test): string {
  const directory = mkdtempSync(join(tmpdir(), "cs-killed-"))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

type Run = { isKilled: boolean; sheets: readonly string[] }

/** Runs the child, which kills itself. `sheets`: those that its holders wrote down. */
function runAndKill(directory: string, kind: string, step: number, old: readonly string[]): Run {
  const words = [CHILD, directory, kind, String(step), JSON.stringify(old)]
  const { stdout, stderr, signal, status } = spawnSync(process.execPath, words, { encoding: "utf8" })
  if (signal === null && status !== 0) throw new Error(stderr)
  return { isKilled: signal === "SIGKILL", sheets: JSON.parse(stdout.split("\n")[0] || "[]") as string[] }
}

const server = fork(CHILD, [], { execArgv: [] })
t.teardown(() => server.kill("SIGKILL"))

/** The short form kills one process; others change no file from the step at which they would be killed. */
async function run(directory: string, kind: string, step: number, old: readonly string[] = []): Promise<Run> {
  if (isLong || (kind === "change" && step === 1 + STRIDE)) return runAndKill(directory, kind, step, old)
  const order: Order = { directory, kind, lastStep: step, old }
  server.send(order)
  const [ended] = (await once(server, "message")) as [Run & { fault: string }]
  if (ended.fault !== "") throw new Error(ended.fault)
  return ended
}

/** Steps from one kill to the next. */
const STRIDE = isLong ? 1 : 6

/** Kills at each step, on a fresh copy of a folder, until a run ends by itself; `judge` sees what is left. */
async function atEveryStep(
  t: Test,
  from: string,
  start: (directory: string, step: number) => Promise<Run>,
  judge: (directory: string, sheets: readonly string[], isKilled: boolean, step: number) => Promise<void>,
): Promise<number> {
  for (let step = 1; step < MAX_STEPS; step += STRIDE) {
    const directory = join(folder(t), "data")
    cpSync(from, directory, { recursive: true })
    const { isKilled, sheets } = await start(directory, step)
    await judge(directory, sheets, isKilled, step)
    if (!isKilled) return step
  }
  throw new Error("the run never ended by itself")
}

const fileIn = (directory: string) => readConfig({ COUNTERSIGN_DATA_DIR: directory }).seedFile

/** The seed of a file that sheets open, by one of their lines; undefined: they do not open it. */
async function opened(
  directory: string,
  sheets: readonly string[],
  { file = fileIn(directory), line = 0 } = {},
): Promise<Uint8Array | undefined> {
  try {
    const points = sheets.slice(0, 2).map((words) => readShareWords(lineOf(words, line)).use(readShare).point)
    return bytesOf(await openByShares(readSealedSeed(readFileSync(file)), points))
  } catch {
    return undefined
  }
}

/** Files of all seeds, in the order of the lines of a sheet. */
function allFiles(directory: string): string[] {
  const { fetcherSeed, authProxyKey } = otherSeedsIn(directory)
  return [fileIn(directory), fetcherSeed, authProxyKey, join(directory, "authority", "ca.key")]
}

t.test(
  "W62: a ceremony over a plain seed, killed at a step, leaves the plain seed or the sealed one",
  async (t) => {
    const from = folder(t)
    createDeployment(readConfig({ COUNTERSIGN_DATA_DIR: from }))
    const seed = readFileSync(fileIn(from))
    const found = new Set<string>()
    const steps = await atEveryStep(
      t,
      from,
      (directory, step) => run(directory, "ceremony", step),
      async (directory, sheets, isKilled, step) => {
        const stored = readStoredSeed(fileIn(directory))
        found.add(stored.kind)
        if (stored.kind === "plain") t.strictSame(Buffer.from(bytesOf(stored.seed)), seed, `step ${step}`)
        else t.strictSame(Buffer.from((await opened(directory, sheets)) ?? []), seed, `step ${step}`)
        t.ok(isKilled || stored.kind === "sealed")
      },
    )
    t.ok(steps > 5, `${steps} steps`)
    t.strictSame([...found].toSorted(), ["plain", "sealed"])
  },
)

t.test(
  "W62: a ceremony for a new deployment, killed at a step, leaves no seed or one that its sheets open",
  async (t) => {
    const found = new Set<boolean>()
    const steps = await atEveryStep(
      t,
      folder(t),
      (directory, step) => run(directory, "ceremony", step),
      async (directory, sheets, isKilled, step) => {
        const isThere = existsSync(fileIn(directory))
        found.add(isThere)
        if (isThere) t.equal((await opened(directory, sheets))?.length, 32)
        else t.ok(isKilled)
        if (!isThere && (isLong || step === 1))
          t.notOk((await run(directory, "ceremony", 0)).isKilled, "it can be repeated")
      },
    )
    t.ok(steps > 10, `${steps} steps`)
    t.equal(found.size, 2)
  },
)

t.test(
  "W62: a change of shares, killed at a step, leaves the old set or the new one, and never both or none",
  async (t) => {
    const from = folder(t)
    const { sheets: old } = await run(from, "ceremony", 0)
    const seed = await opened(from, old)
    const found = new Set<string>()
    const steps = await atEveryStep(
      t,
      from,
      (directory, step) => run(directory, "change", step, old),
      async (directory, sheets, isKilled, step) => {
        const [byOld, byNew] = [await opened(directory, old), await opened(directory, sheets)]
        t.strictSame(byOld ?? byNew, seed, `step ${step}`)
        t.not(byOld === undefined, byNew === undefined, `exactly one set at step ${step}`)
        found.add(byOld === undefined ? "new" : "old")
        t.ok(isKilled || byOld === undefined)
      },
    )
    t.ok(steps > 5, `${steps} steps`)
    t.strictSame([...found].toSorted(), ["new", "old"])
  },
)

for (const kind of ["change-holders", "change-daily", "change-witnesses", "leave-production", "accept-seal"])
  t.test(
    `W62: ${kind}, killed at a step, leaves the earlier file or the new one, and the same shares open it`,
    async (t) => {
      const from = folder(t)
      const { sheets } = await run(from, "ceremony", 0)
      const seed = await opened(from, sheets)
      const before = readFileSync(fileIn(from))
      const { revision } = readSealedSeed(before).header
      const found = new Set<boolean>()
      const steps = await atEveryStep(
        t,
        from,
        (directory, step) => run(directory, kind, step, sheets),
        async (directory, _sheets, isKilled, step) => {
          t.strictSame(await opened(directory, sheets), seed, `step ${step}`)
          const file = readFileSync(fileIn(directory))
          const isNew = !file.equals(before)
          if (isNew) t.ok(readSealedSeed(file).header.revision > revision, "the new file is whole")
          found.add(isNew)
          t.ok(isKilled || isNew)
        },
      )
      t.ok(steps > 5, `${steps} steps`)
      t.equal(found.size, 2)
    },
  )

t.test(
  "W62: a ceremony over all seeds, killed at a step, leaves each without a seal or opened by its sheets, and can be repeated",
  async (t) => {
    const from = folder(t)
    createDeployment(readConfig({ COUNTERSIGN_DATA_DIR: from }))
    const plain = readFileSync(fileIn(from))
    const found = new Set<number>()
    const steps = await atEveryStep(
      t,
      from,
      (directory, step) => run(directory, "ceremony-of-all", step),
      async (directory, sheets, isKilled, step) => {
        const isSealed = (file: string) => existsSync(file) && readFileSync(file).subarray(0, 11).equals(MARK)
        const files = allFiles(directory)
        const sealed = files.filter(isSealed)
        found.add(sealed.length)
        for (const [line, file] of files.entries())
          if (isSealed(file))
            t.ok(await opened(directory, sheets, { file, line }), `step ${step}: line ${line}`)
        if (!isSealed(fileIn(directory))) t.strictSame(readFileSync(fileIn(directory)), plain)
        else t.equal(sealed.length, files.length, "the signer's is the last one")
        t.ok(isKilled || sealed.length === files.length)
        if (!isKilled || sealed.length === 0 || sealed.length === files.length) return
        const again = await run(directory, "ceremony-of-all", 0, sheets)
        t.notOk(again.isKilled)
        for (const [line, file] of files.entries())
          t.ok(await opened(directory, again.sheets, { file, line }), `repeated: line ${line}`)
      },
    )
    t.ok(steps > 20, `${steps} steps`)
    t.ok(found.has(0) && found.has(4))
    t.ok(found.size > 2, "also between two files")
  },
)

t.test(
  "W62: a change of shares of all seeds, killed at a step, leaves each with its old set or its new one",
  async (t) => {
    const from = folder(t)
    const { sheets: old } = await run(from, "ceremony-of-all", 0)
    const seedsOf = (directory: string, sheets: readonly string[]) =>
      Promise.all(allFiles(directory).map((file, line) => opened(directory, sheets, { file, line })))
    const seeds = await seedsOf(from, old)
    t.notOk(seeds.includes(undefined))
    const found = new Set<number>()
    const steps = await atEveryStep(
      t,
      from,
      (directory, step) => run(directory, "change-of-all", step, old),
      async (directory, sheets, isKilled, step) => {
        const [byOld, byNew] = [await seedsOf(directory, old), await seedsOf(directory, sheets)]
        for (const [line, seed] of seeds.entries()) {
          t.strictSame(byOld[line] ?? byNew[line], seed, `step ${step}: line ${line}`)
          t.not(byOld[line] === undefined, byNew[line] === undefined, `exactly one set at step ${step}`)
        }
        const isNew = byNew.filter((seed) => seed !== undefined)
        found.add(isNew.length)
        if (byNew[0] !== undefined) t.equal(isNew.length, seeds.length, "the signer's is the last one")
        t.ok(isKilled || isNew.length === seeds.length)
      },
    )
    t.ok(steps > 20, `${steps} steps`)
    t.ok(found.has(0) && found.has(4))
  },
)

const MARK = Buffer.from("countersign")
