import { createHash } from "node:crypto"
import { existsSync, globSync } from "node:fs"
import { mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { RELEASE_FILE } from "../../signer/core/release/file-list.ts"

/** The directory of package.json. Nothing else of this program is needed to build, as in the image's stage. */
const packageRoot = resolve(import.meta.dirname, "..", "..")

/** Sources of the dashboard's pages. */
const PAGES = join(packageRoot, "services", "dashboard")
/** The build, which any static host can serve with a `config.json` beside it. */
export const BUILD = join(PAGES, "dist")
const STATE = "sources.sha256"

/** Builds the dashboard unless the build is of the present sources, and says so first. Returns the folder of the build. */
export async function buildDashboard(log: (line: string) => void = () => undefined): Promise<string> {
  // A release brings the build, and no bundler.
  if (existsSync(join(packageRoot, RELEASE_FILE))) return BUILD
  const digest = await digestOfSources()
  const built = await readFile(join(BUILD, STATE), "utf8").catch(() => "")
  if (built === digest) return BUILD
  log("building the dashboard, once")
  // Into a folder of its own, because several processes may build at the same time.
  const folder = await mkdtemp(join(PAGES, "dist-"))
  try {
    await bundle(folder)
    await writeFile(join(folder, STATE), digest)
    await replaceBuild(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  log("the dashboard is built")
  return BUILD
}

async function replaceBuild(folder: string): Promise<void> {
  const former = `${folder}-former`
  if (existsSync(BUILD)) await rename(BUILD, former).catch(() => undefined)
  // Another process was first: its build is of the same sources.
  await rename(folder, BUILD).catch(() => undefined)
  await rm(former, { recursive: true, force: true })
}

async function bundle(outDir: string): Promise<void> {
  // Vite is needed for this alone: commands that serve a build do not load it.
  const { build } = await import("vite")
  const shim = (name: string) => join(PAGES, "platform", name)
  await build({
    root: PAGES,
    configFile: false,
    logLevel: "warn",
    resolve: {
      alias: { "node:crypto": shim("node-crypto.ts"), "node:buffer": shim("buffer.ts") },
      dedupe: ["preact"],
    },
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    build: {
      outDir,
      emptyOutDir: true,
      target: "es2023",
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      chunkSizeWarningLimit: 1000,
      // On a slow machine it warns about the time of plugins, which nobody who starts a system can change.
      rolldownOptions: { checks: { pluginTimings: false } },
    },
  })
}

/** Digest of every file that the build is made of. */
async function digestOfSources(): Promise<string> {
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
