// Installs newman and Bruno with a lock file of their own, unless they are installed: they run the collection of requests in
// test/clients/collection.test.ts, which is skipped without them.
import { spawnSync } from "node:child_process"
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { ROOT, TOOLS } from "./run.ts"

/** 620 packages, in a folder that npm leaves alone. */
const JUDGES = join(ROOT, "node_modules", ".collection-judges")

const wanted = join(ROOT, "test/clients/collection")
/** Written last: an installation that broke off has none. */
const installed = join(JUDGES, "installed-lock.json")
const lock = readFileSync(join(wanted, "package-lock.json"))
if (!existsSync(installed) || !readFileSync(installed).equals(lock)) {
  mkdirSync(JUDGES, { recursive: true })
  for (const name of ["package.json", "package-lock.json"])
    copyFileSync(join(wanted, name), join(JUDGES, name))
  console.log("installing newman and Bruno, once")
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
  const { status } = spawnSync("npm", ["ci", ...options], { cwd: JUDGES, env: TOOLS, stdio: "inherit" })
  if (status === 0) writeFileSync(installed, lock)
  else console.error("npm could not install newman and Bruno: their tests are skipped")
}
