// Loaded into every process of a test run without coverage: all share their modules' compiled code, in the folder that this
// module's query names. Most of a program's start is compiling. The options of Node and the folder are passed on to each program that
// is started, unless its environment has its own.
//
// JavaScript, because types are stripped by code that itself takes long to start, and that the folder makes needless.
import childProcess from "node:child_process"
import { enableCompileCache, flushCompileCache, syncBuiltinESMExports } from "node:module"

/** By then a program has started. One that is killed, or runs until the end, would leave nothing for the others. */
const FLUSH_MS = 2_000

const folder = new URL(import.meta.url).searchParams.get("folder") ?? undefined
enableCompileCache(folder)
// A program that would name a folder of its own to the programs that it starts keeps this one.
if (folder !== undefined) process.env["NODE_COMPILE_CACHE"] = folder
setTimeout(() => flushCompileCache(), FLUSH_MS).unref()
// Processes do not record the modules that they load, with their source maps: only coverage reads that.
process.env["_TAPJS_PROCESSINFO_EXCLUDE_"] = "/./"

/** Options of Node for each program, and the folder also for one that has options of its own. */
const SHARED = ["NODE_OPTIONS", "NODE_COMPILE_CACHE"].flatMap((name) => {
  const value = process.env[name]
  return value === undefined ? [] : [[name, value]]
})

// Pairs of name and value, once the environment is complete.
const { prototype } = childProcess.ChildProcess
const { spawn } = prototype
prototype.spawn = function (options) {
  const pairs = options.envPairs
  for (const [name, value] of SHARED)
    if (!pairs.some((pair) => pair.startsWith(`${name}=`))) pairs.push(`${name}=${value}`)
  return spawn.call(this, options)
}

for (const name of ["spawnSync", "execFileSync", "execSync"]) {
  const run = childProcess[name]
  childProcess[name] = (...words) => run(...words.map(withShared))
}
syncBuiltinESMExports()

/** An argument that is an object with an environment, with what is shared in it. */
function withShared(word) {
  if (!word?.env) return word
  return { ...word, env: { ...Object.fromEntries(SHARED), ...word.env } }
}
