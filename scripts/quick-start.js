// Loaded into every process of a test run without coverage: all share their modules' compiled code, in the folder that this
// module's query names. Most of a program's start is compiling. The options of Node are passed on to each program that is
// started, unless its environment has options of its own.
//
// JavaScript, because types are stripped by code that itself takes long to start, and that the folder makes needless.
import childProcess from "node:child_process"
import { enableCompileCache, flushCompileCache, syncBuiltinESMExports } from "node:module"

/** By then a program has started. One that is killed, or runs until the end, would leave nothing for the others. */
const FLUSH_MS = 2_000

const folder = new URL(import.meta.url).searchParams.get("folder") ?? undefined
enableCompileCache(folder)
// Programs that name a folder of their own to the programs that they start keep this one.
if (folder !== undefined) process.env["NODE_COMPILE_CACHE"] = folder
setTimeout(() => flushCompileCache(), FLUSH_MS).unref()
// Processes do not record the modules that they load, with their source maps: only coverage reads that.
process.env["_TAPJS_PROCESSINFO_EXCLUDE_"] = "/./"

const { NODE_OPTIONS } = process.env

// Pairs of name and value, once the environment is complete.
const { prototype } = childProcess.ChildProcess
const { spawn } = prototype
prototype.spawn = function (options) {
  const pairs = options.envPairs
  if (NODE_OPTIONS !== undefined && !pairs.some((pair) => pair.startsWith("NODE_OPTIONS=")))
    pairs.push(`NODE_OPTIONS=${NODE_OPTIONS}`)
  return spawn.call(this, options)
}

for (const name of ["spawnSync", "execFileSync", "execSync"]) {
  const run = childProcess[name]
  childProcess[name] = (...words) => run(...words.map(withOptions))
}
syncBuiltinESMExports()

/** An argument that is an object with an environment, with the options of Node in it. */
function withOptions(word) {
  if (NODE_OPTIONS === undefined || !word?.env || "NODE_OPTIONS" in word.env) return word
  return { ...word, env: { ...word.env, NODE_OPTIONS } }
}
