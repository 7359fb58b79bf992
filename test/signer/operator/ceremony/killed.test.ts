// A ceremony and a change of shares that are killed at every step of their files: exactly one set is valid afterwards.
import { spawnSync } from "node:child_process"
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

const CHILD = join(import.meta.dirname, "ceremony-child.ts")
/** More steps than any of the runs has. */
const MAX_STEPS = 200

function folder(t: Test): string {
  const directory = mkdtempSync(join(tmpdir(), "cs-killed-"))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** Runs the child. `sheets`: those that its holders wrote down. */
function run(directory: string, kind: "ceremony" | "change", step: number, old: readonly string[] = []) {
  const words = [CHILD, directory, kind, String(step), JSON.stringify(old)]
  const { stdout, stderr, signal, status } = spawnSync(process.execPath, words, { encoding: "utf8" })
  if (signal === null && status !== 0) throw new Error(stderr)
  return { isKilled: signal === "SIGKILL", sheets: JSON.parse(stdout.split("\n")[0] || "[]") as string[] }
}

/** Kills at each step, on a fresh copy of a folder, until a run ends by itself; `judge` sees what is left. */
async function atEveryStep(
  t: Test,
  from: string,
  start: (directory: string, step: number) => ReturnType<typeof run>,
  judge: (directory: string, sheets: readonly string[], isKilled: boolean, step: number) => Promise<void>,
): Promise<number> {
  // The short form takes each third step.
  for (let step = 1; step < MAX_STEPS; step += isLong ? 1 : 3) {
    const directory = join(folder(t), "data")
    cpSync(from, directory, { recursive: true })
    const { isKilled, sheets } = start(directory, step)
    await judge(directory, sheets, isKilled, step)
    if (!isKilled) return step
  }
  throw new Error("the run never ended by itself")
}

const fileIn = (directory: string) => readConfig({ COUNTERSIGN_DATA_DIR: directory }).seedFile

/** The seed that sheets open; undefined: they do not open this file. */
async function opened(directory: string, sheets: readonly string[]): Promise<Uint8Array | undefined> {
  const points = sheets.slice(0, 2).map((words) => readShareWords(words).use(readShare).point)
  try {
    return bytesOf(await openByShares(readSealedSeed(readFileSync(fileIn(directory))), points))
  } catch {
    return undefined
  }
}

t.test(
  "W62: a ceremony over a plain seed, killed at every step, leaves the plain seed or the sealed one",
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
  "W62: a ceremony for a new deployment, killed at every step, leaves no seed or one that its sheets open",
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
          t.notOk(run(directory, "ceremony", 0).isKilled, "it can be repeated")
      },
    )
    t.ok(steps > 10, `${steps} steps`)
    t.equal(found.size, 2)
  },
)

t.test(
  "W62: a change of shares, killed at every step, leaves the old set or the new one, and never both or none",
  async (t) => {
    const from = folder(t)
    const { sheets: old } = run(from, "ceremony", 0)
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
