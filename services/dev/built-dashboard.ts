import { createHash } from "node:crypto"
import { existsSync, globSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { RELEASE_FILE } from "../../signer/core/release/file-list.ts"

/** The directory of package.json. Nothing else of this program is needed to build, as in the image's stage. */
const packageRoot = resolve(import.meta.dirname, "..", "..")

/** Sources of the dashboard's pages. */
export const PAGES = join(packageRoot, "services", "dashboard")
/** The build, which any static host can serve with a `config.json` beside it. */
export const BUILD = join(PAGES, "dist")
/** File of a build with the digest of its sources. */
export const STATE = "sources.sha256"

/** True if the build is of the present sources. A release brings its build, and no bundler. */
export async function isBuilt(): Promise<boolean> {
  if (existsSync(join(packageRoot, RELEASE_FILE))) return true
  const built = await readFile(join(BUILD, STATE), "utf8").catch(() => "")
  return built !== "" && built === (await digestOfSources())
}

/** Digest of every file that the build is made of. */
export async function digestOfSources(): Promise<string> {
  const own = globSync("services/dashboard/**/*.{ts,tsx,css,html,svg}", {
    cwd: packageRoot,
    exclude: ["services/dashboard/dist*"],
  })
  const shared = globSync(
    ["signer/core/**/*.ts", "proto/**/*.ts", "package-lock.json", "services/dev/build-dashboard.ts"],
    { cwd: packageRoot },
  )
  const hash = createHash("sha256")
  for (const path of [...own, ...shared].filter((one) => !one.includes("/dist")).toSorted()) {
    hash
      .update(path)
      .update("\0")
      .update(await readFile(join(packageRoot, path)))
  }
  return hash.digest("hex")
}
