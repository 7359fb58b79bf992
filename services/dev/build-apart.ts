import { join } from "node:path"
import { packageRoot } from "../terminal-client/settings.ts"
import { BUILD, isBuilt } from "./built-dashboard.ts"
import { withCompileCache } from "./compile-cache.ts"
import { outputOf } from "./run-program.ts"

const BUILDER = join(packageRoot, "scripts", "build-dashboard.ts")

/**
 * Builds the dashboard unless the build is of the present sources, in a process of its own: the bundler takes 300 MiB, and a process that
 * has loaded it keeps them for as long as it runs. Returns the folder of the build.
 */
export async function buildApart(log: (line: string) => void, signal?: AbortSignal): Promise<string> {
  if (await isBuilt()) return BUILD
  log("building the dashboard, once")
  await outputOf([BUILDER], withCompileCache(process.env), signal)
  log("the dashboard is built")
  return BUILD
}
