// Installs programs with lock files of their own, unless they are installed: the generator of the documentation site, and newman
// and Bruno, which run the collection of requests in test/clients/collection.test.ts. Without them their tests are skipped.
import { spawnSync } from "node:child_process"
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { ROOT, TOOLS } from "./run.ts"

const SITE = join(ROOT, "site")
/** 620 packages, in a folder that npm leaves alone. */
const JUDGES = join(ROOT, "node_modules", ".collection-judges")

if (!existsSync(join(SITE, "node_modules"))) install(SITE, "the generator of the documentation site")

const wanted = join(ROOT, "test/clients/collection")
/** Written last: an installation that broke off has none. */
const installed = join(JUDGES, "installed-lock.json")
const lock = readFileSync(join(wanted, "package-lock.json"))
if (!existsSync(installed) || !readFileSync(installed).equals(lock)) {
  mkdirSync(JUDGES, { recursive: true })
  for (const name of ["package.json", "package-lock.json"])
    copyFileSync(join(wanted, name), join(JUDGES, name))
  if (install(JUDGES, "newman and Bruno")) writeFileSync(installed, lock)
}

function install(folder: string, what: string): boolean {
  console.log(`installing ${what}, once`)
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
  const { status } = spawnSync("npm", ["ci", ...options], { cwd: folder, env: TOOLS, stdio: "inherit" })
  if (status !== 0) console.error(`npm could not install ${what}: its tests are skipped`)
  return status === 0
}
