import { spawnSync } from "node:child_process"
import { join } from "node:path"

const ROOT = join(import.meta.dirname, "..", "..")

/** Prints the URL of each module that the program loads, on the third stream. */
const WATCH = `
import { registerHooks } from "node:module"
import { writeSync } from "node:fs"
registerHooks({ load(url, context, next) { writeSync(3, url + "\\n"); return next(url, context) } })`

/** Paths of the modules that a command line of a program loads, and what it prints. */
export function loadedBy(program: string, words: readonly string[], environment: NodeJS.ProcessEnv = {}) {
  const { output, status } = spawnSync(
    process.execPath,
    ["--import", `data:text/javascript,${encodeURIComponent(WATCH)}`, program, ...words],
    {
      cwd: ROOT,
      encoding: "utf8",
      env: { ...process.env, ...environment },
      stdio: ["ignore", "pipe", "pipe", "pipe"],
    },
  )
  const urls = output[3]!.split("\n").filter((url) => url.startsWith("file:"))
  return { status, text: output[1]!, paths: urls.map((url) => url.slice(`file://${ROOT}/`.length)) }
}
