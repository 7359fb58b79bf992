// Builds the documentation site into site/dist. Its packages are installed at the first build.
import { existsSync } from "node:fs"
import { join } from "node:path"
import { spawnSync } from "node:child_process"
import { SITE, writePages } from "./docs-site.ts"

if (!existsSync(join(SITE, "node_modules"))) run("npm", ["ci"])
await writePages()
run(process.execPath, [join("node_modules", "vitepress", "bin", "vitepress.js"), "build", "."])
console.log(join(SITE, "dist"))

function run(program: string, words: readonly string[]): void {
  const { status } = spawnSync(program, words, { cwd: SITE, stdio: ["ignore", 2, 2] })
  if (status !== 0) process.exit(status ?? 1)
}
