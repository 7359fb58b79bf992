// Builds tap's class of a test from the plugins that .taprc names, unless the last build had the same. It takes four seconds, so
// it runs once after an installation instead of before every run. tap does so itself only after it has started, which is too late
// for the first run of a fresh installation.
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "yaml"
import { ROOT, TOOLS } from "./run.ts"

/** The folder that `tap build` writes: the class, and a link to the plugins' folder below .tap. */
const BUILT = join(ROOT, "node_modules/@tapjs/test/test-built")

if (!isBuilt()) {
  const { status } = spawnSync("tap", ["build"], { cwd: ROOT, env: TOOLS, stdio: "inherit" })
  process.exitCode = status ?? 1
}

/** True if the built class has the plugins that .taprc names and finds tap's own packages. */
function isBuilt(): boolean {
  // Also absent if its link leads nowhere, because .tap was removed.
  if (!existsSync(join(BUILT, "node_modules/@tapjs/core"))) return false
  const built = textOf(join(BUILT, "dist/esm/index.js"))
  const [, signature = ""] = /^export const signature = `([^`]*)`;$/m.exec(built) ?? []
  const { plugin = [] } = parse(textOf(join(ROOT, ".taprc"))) as { plugin?: readonly string[] }
  const has = new Set(signature.split("\n"))
  return plugin.every((name) => (name.startsWith("!") ? !has.has(name.slice(1)) : has.has(name)))
}

function textOf(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8") : ""
}
