// The script that patches the database driver. It leads the published driver, and one that an earlier release patched, to the
// same text, and refuses every other.
import { execFile } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import t, { type Test } from "tap"
import { connectDatabase } from "../../../../services/database/database.ts"

type Patch = { from: string; to: string }
type Patches = { [file: string]: Patch[] }

const ROOT = join(import.meta.dirname, "..", "..", "..", "..")
const INSTALLED = fileURLToPath(new URL(".", import.meta.resolve("postgres")))
const SCRIPTS = ["patch-postgres.js", "postgres-patches.js"]

async function patches(): Promise<{ PATCHES: Patches; FORMER: Patches }> {
  return (await import(join(ROOT, "scripts", "postgres-patches.js"))) as { PATCHES: Patches; FORMER: Patches }
}

/** An installation with the script and a driver whose text `change` makes of the published one. */
async function installation(t: Test, change: (text: string, file: string) => string) {
  const directory = mkdtempSync(join(tmpdir(), "cs-patch-"))
  t.teardown(() => promisify(execFile)("rm", ["-r", directory]))
  const source = join(directory, "node_modules", "postgres", "src")
  mkdirSync(join(directory, "scripts"))
  for (const name of SCRIPTS) cpSync(join(ROOT, "scripts", name), join(directory, "scripts", name))
  writeFileSync(join(directory, "package.json"), JSON.stringify({ type: "module" }))
  cpSync(INSTALLED, source, { recursive: true })
  cpSync(join(INSTALLED, "..", "package.json"), join(source, "..", "package.json"))
  const { PATCHES } = await patches()
  for (const [file, list] of Object.entries(PATCHES)) {
    const text = readFileSync(join(source, file), "utf8")
    const published = list.reduceRight((patched, { from, to }) => patched.replace(to, () => from), text)
    writeFileSync(join(source, file), change(published, file))
  }
  const run = () => promisify(execFile)(process.execPath, [join(directory, "scripts", "patch-postgres.js")])
  const texts = () => Object.keys(PATCHES).map((file) => readFileSync(join(source, file), "utf8"))
  return { run, texts }
}

const present = async () =>
  Object.keys((await patches()).PATCHES).map((file) => readFileSync(join(INSTALLED, file), "utf8"))

t.test("the published driver and one of an earlier release get the same patches", async (t) => {
  const { FORMER } = await patches()
  const former = (text: string, file: string) =>
    (FORMER[file] ?? []).reduce((patched, { from, to }) => patched.replace(from, () => to), text)
  for (const change of [(text: string) => text, former]) {
    const { run, texts } = await installation(t, change)
    t.notSame(texts(), await present())
    await run()
    t.same(texts(), await present())
    await run()
    t.same(texts(), await present(), "a second run changes nothing")
  }
})

t.test("a driver of another text is refused by the name of its file, and is left as it is", async (t) => {
  const { run, texts } = await installation(t, (text, file) =>
    file === "connection.js" ? `${text}\n` : text,
  )
  const before = texts()
  await t.rejects(run(), /connection\.js of the package postgres is not of version 3\.4\.9/)
  t.same(texts(), before)
})

t.test("a process whose driver has no patches says so", async (t) => {
  const unpatched = Object.assign(() => undefined, { options: {} })
  const { connectDatabase: connect } = await t.mockImport<{ connectDatabase: typeof connectDatabase }>(
    "../../../../services/database/database.ts",
    { postgres: Object.assign(() => unpatched, { BigInt: {} }) },
  )
  t.throws(
    () => connect({ url: "postgres://user@localhost/database" }),
    /run node scripts\/patch-postgres\.js/,
  )
})
