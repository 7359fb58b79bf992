import { existsSync } from "node:fs"
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { BUILD, digestOfSources, isBuilt, PAGES, STATE } from "./built-dashboard.ts"

/** Builds the dashboard unless the build is of the present sources, and says so first. Returns the folder of the build. */
export async function buildDashboard(log: (line: string) => void = () => undefined): Promise<string> {
  if (await isBuilt()) return BUILD
  const digest = await digestOfSources()
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

const shim = (name: string) => join(PAGES, "platform", name)

async function bundle(outDir: string): Promise<void> {
  // Vite is needed for this alone: commands that serve a build do not load it.
  const { build } = await import("vite")
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
