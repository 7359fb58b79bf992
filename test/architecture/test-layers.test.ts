// Layers of the tests: told from imports, each file in one.
import { spawnSync } from "node:child_process"
import { globSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import t, { type Test } from "tap"
import { ROOT } from "../../scripts/run.ts"
import { LAYERS, layerOf } from "../../scripts/test-layers.ts"

t.test("a file's layer follows from what it imports", async (t) => {
  t.equal(layerOf("test/signer/core/recently-used.test.ts"), "unit")
  t.equal(layerOf("test/hostile/replay.test.ts"), "signer", "a signer in its own process")
  t.equal(layerOf("test/hostile/running.test.ts"), "system", "a signer as another process")
  t.equal(layerOf("test/services/api/store/driver-patch.test.ts"), "system", "a database")
  t.equal(layerOf("test/dashboard/pages.test.ts"), "system", "a browser")
})

t.test("imports count through other files, and those of types do not", async (t) => {
  const at = filesIn(t, {
    "starts.ts": `import { spawn } from "node:child_process"`,
    "between.ts": `export { start } from "./starts.ts"`,
    "later.ts": `export const start = () => import("./between.ts")`,
    "type.ts": `import type { ChildProcess } from "node:child_process"\nimport { join } from "node:path"`,
    "around.ts": `import "./back.ts"`,
    "back.ts": `import "./around.ts"`,
  })
  for (const name of ["starts.ts", "between.ts", "later.ts"]) t.equal(layerOf(at(name)), "system", name)
  for (const name of ["type.ts", "around.ts"]) t.equal(layerOf(at(name)), "unit", name)
})

t.test("every layer has files", async (t) => {
  const layers = new Set(globSync("test/**/*.test.ts", { cwd: ROOT }).map(layerOf))
  t.strictSame([...layers].toSorted(), LAYERS.toSorted())
})

t.test("a run of a layer runs its files alone, and refuses a layer that does not exist", async (t) => {
  const at = filesIn(t, {
    "unit.test.ts": `import t from "tap"\nt.pass("of unit")`,
    "system.test.ts": `import "node:child_process"\nimport t from "tap"\nt.pass("of system")`,
  })
  const { stdout } = run("--layer=unit", at("unit.test.ts"), at("system.test.ts"))
  t.match(stdout, "of unit")
  t.notMatch(stdout, "of system")
  const unknown = run("--layer=pure", at("unit.test.ts"))
  t.not(unknown.status, 0)
  t.match(unknown.stderr, /unknown layer "pure"; use unit, signer, system/)
})

/** Writes files to a folder of the repository; returns their paths from its top folder. */
function filesIn(t: Test, files: Readonly<Record<string, string>>): (name: string) => string {
  const folder = join(ROOT, ".tap", `layers-${process.pid}-${Object.keys(files).length}`)
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return (name) => relative(ROOT, join(folder, name))
}

function run(...words: string[]) {
  const environment = Object.entries(process.env).filter(([name]) => !name.startsWith("TAP"))
  return spawnSync(process.execPath, [join(ROOT, "scripts/test.ts"), ...words], {
    encoding: "utf8",
    env: Object.fromEntries(environment),
  })
}
