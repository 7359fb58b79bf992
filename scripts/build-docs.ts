// Builds the documentation site into site/dist, which a running API then serves at /docs. The packages of its generator are
// installed at the first build.
import { existsSync, mkdtempSync, renameSync, rmSync } from "node:fs"
import { basename, join } from "node:path"
import { spawnSync } from "node:child_process"
import { SITE, writePages } from "./docs-site.ts"

const BUILD = join(SITE, "dist")

if (!existsSync(join(SITE, "node_modules"))) {
  console.log("installing the generator of the documentation, once")
  run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"])
}
console.log("building the documentation, which takes about half a minute")
await writePages()
const folder = mkdtempSync(`${BUILD}-`)
try {
  const generator = join("node_modules", "vitepress", "bin", "vitepress.js")
  run(process.execPath, [generator, "build", ".", "--outDir", basename(folder)])
  // The API serves a build as soon as it is there, so it appears whole.
  rmSync(BUILD, { recursive: true, force: true })
  renameSync(folder, BUILD)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
console.log(`${BUILD}: the API of this folder serves it at /docs`)

/** Shows what the program wrote only if it failed: its warnings are about itself. */
function run(program: string, words: readonly string[]): void {
  const { status, stdout, stderr, error } = spawnSync(program, words, { cwd: SITE, encoding: "utf8" })
  if (status === 0) return
  console.error(`${stdout ?? ""}${stderr ?? ""}${error?.message ?? ""}`)
  throw new Error(`${program} ${words[0] ?? ""} ended with ${status}`)
}
