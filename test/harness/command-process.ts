// A program: runs command lines of this repository's programs for a test, one after another, each as if it had been started itself. Starting
// Node and compiling a program cost several times what most commands do.
import { registerHooks } from "node:module"
import { join } from "node:path"
import { PassThrough } from "node:stream"
import { pathToFileURL } from "node:url"
import type { CommandLine, Ended } from "./commands.ts"

const ROOT = join(import.meta.dirname, "..", "..")
/** Modules that do their work when they are imported. */
const PROGRAMS =
  /\/(?:examples\/[\w-]+|signer\/(?:operator|fetcher|witness)\/main|services\/(?:cli\/main|node\/(?:main|backup-host)|auth-proxy\/(?:main|backup)|api\/(?:backup|cut|erase|migrations|prune)))\.ts$/

/** Number of the command line, by which a program is another module than it was before. */
let number = 0
registerHooks({
  resolve(specifier, context, nextResolve) {
    const resolved = nextResolve(specifier, context)
    return PROGRAMS.test(resolved.url) ? { ...resolved, url: `${resolved.url}?run=${number}` } : resolved
  },
})

const umask = process.umask()
const ownFolder = process.cwd()
// Each command line has a log of its own, which listens.
process.setMaxListeners(0)
process.stderr.setMaxListeners(0)

/** The exit that a program asked for, thrown where it would have ended. */
class ProgramExit extends Error {}

async function run({ program, words, environment, input, folder = ownFolder }: CommandLine): Promise<Ended> {
  number += 1
  process.argv = [process.execPath, join(ROOT, program), ...words]
  for (const name of Object.keys(process.env)) Reflect.deleteProperty(process.env, name)
  Object.assign(process.env, environment)
  process.umask(umask)
  process.chdir(folder)
  process.exitCode = 0
  const stdin = new PassThrough()
  stdin.end(input)
  Object.defineProperty(process, "stdin", { value: stdin, configurable: true })
  const read = { out: "", log: "" }
  Object.assign(process.stdout, { write: collector((text) => (read.out += text)) })
  Object.assign(process.stderr, { write: collector((text) => (read.log += text)) })
  let exited: Ended | undefined
  process.exit = (status) => {
    exited ??= { ...read, status: Number(status ?? statusOfProcess()) }
    throw new ProgramExit()
  }
  try {
    await import(pathToFileURL(join(ROOT, program)).href)
  } catch (error) {
    if (!(error instanceof ProgramExit))
      return { status: 1, out: read.out, log: `${read.log}${String(error)}` }
  }
  return exited ?? { ...read, status: statusOfProcess() }
}

const statusOfProcess = () => Number(process.exitCode)

/** `write` of a stream. */
function collector(add: (text: string) => void) {
  return (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    add(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString())
    const done = rest.find((one) => typeof one === "function")
    if (done !== undefined) process.nextTick(done)
    return true
  }
}

process.on("message", (line: CommandLine) => {
  void run(line).then((ended) => process.send?.(ended))
})
