// Activities declare what they use and no more: without any one of the powers that it names, their file does not compile.
import { spawnSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import t, { type Test } from "tap"
import type { Source } from "./import-faults.ts"
import { ROOT, sourcesIn } from "./sources.ts"

const FOLDERS = ["signer/enclave/activities", "signer/enclave/modules"]
const EXAMPLE = "signer/enclave/modules/wallets/example.ts"

/** An activity that does not use one of its powers. */
const WITH_UNUSED = [
  'import type { Activity } from "../../activities/activity.ts"',
  'const needs = ["vault", "settings"] as const',
  'export const updateWallet: Activity<"updateWallet", typeof needs> = {',
  "  needs,",
  "  run: (_, { settings }) => ({ walletId: settings.own.organizationId }),",
  "}",
].join("\n")

/** Lists of powers: in a file's `needs`, or in the type of a function's context. */
const LISTS = /(?:needs = |ActivityContext<)\[([^\]]*)\]/gi

/** A file without one of the powers that it names. */
type Without = { path: string; text: string; power: string }

function withoutEach({ path, text }: Source): Without[] {
  return [...text.matchAll(LISTS)].flatMap((list) =>
    [...list[0].matchAll(/"(\w+)"(?:,\s*)?/g)].map((power, index) => {
      const from = list.index + power.index
      const less = text.slice(0, from) + text.slice(from + power[0].length)
      const name = `${path.slice(0, -".ts".length)}--${list.index}-${index}.ts`
      return { path: name, text: less, power: `${path}: ${power[1]}` }
    }),
  )
}

/** Paths of the files that do not compile, read as if they stood in the repository. */
function uncompiled(t: Test, files: readonly Source[]): Set<string> {
  const folder = t.testdir()
  for (const { path, text } of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const compilerOptions = { rootDirs: [ROOT, folder], noEmit: true }
  const project = {
    extends: join(ROOT, "tsconfig.json"),
    compilerOptions,
    files: files.map((one) => one.path),
    include: [],
  }
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(project))
  const faults = faultsOf(folder)
  return new Set(files.map(({ path }) => path).filter((path) => faults.includes(`${path}(`)))
}

function faultsOf(folder: string): string {
  // The test runner loads itself into each process by NODE_OPTIONS; the compiler does not start with it.
  const words = ["-u", "NODE_OPTIONS", join(ROOT, "node_modules/.bin/tsc"), "-p", folder]
  const { stdout, error } = spawnSync("env", words, { cwd: folder, encoding: "utf8" })
  if (error !== undefined) throw error
  return stdout
}

t.test("no activity and no shared function names a power that it does not use", async (t) => {
  const sources = FOLDERS.flatMap(sourcesIn).filter(
    ({ path, text }) => !path.endsWith("context.ts") && text.match(LISTS),
  )
  const fewer = sources.flatMap(withoutEach)
  t.ok(fewer.length > 100)
  const unused = withoutEach({ path: EXAMPLE, text: WITH_UNUSED })
  // Together, because each run of the compiler reads the repository.
  const faulty = uncompiled(t, [...sources, ...fewer, ...unused])
  t.strictSame(
    sources.filter(({ path }) => faulty.has(path)),
    [],
    "the files themselves compile where they are copied to",
  )
  const needless = (files: readonly Without[]) =>
    files.filter(({ path }) => !faulty.has(path)).map(({ power }) => power)
  t.strictSame(needless(fewer), [])
  t.strictSame(needless(unused), [`${EXAMPLE}: vault`], "a power that is not used is found")
})
