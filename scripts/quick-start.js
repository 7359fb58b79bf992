// Loaded into every process of a test run without coverage: all share their modules' compiled code, in the folder that this
// module's query names. Most of a program's start is compiling. The options of Node and the folder are passed on to each program that
// is started, unless its environment has its own.
//
// JavaScript, because types are stripped by code that itself takes long to start, and that the folder makes needless.
import childProcess from "node:child_process"
import { enableCompileCache, flushCompileCache, registerHooks, syncBuiltinESMExports } from "node:module"

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

/** What tap adds to the options of each program: it records the program's modules for coverage, in a twentieth of a second. */
const RECORDER = /\s*"?--import=[^\s"]*@tapjs\/processinfo[^\s"]*"?/g

// Pairs of name and value, once the environment is complete.
const { prototype } = childProcess.ChildProcess
const { spawn } = prototype
prototype.spawn = function (options) {
  const pairs = options.envPairs
  for (const [index, pair] of pairs.entries())
    if (pair.startsWith("NODE_OPTIONS=")) pairs[index] = pair.replace(RECORDER, "")
  for (const [name, value] of SHARED)
    if (!pairs.some((pair) => pair.startsWith(`${name}=`))) pairs.push(`${name}=${value}`)
  return spawn.call(this, options)
}

for (const name of ["spawnSync", "execFileSync", "execSync"]) {
  const run = childProcess[name]
  childProcess[name] = (...words) => run(...words.map(withShared))
}
syncBuiltinESMExports()

/** tap's package, and what stands in for it. */
const DOMAINS = "async-hook-domain"
const RUNNING_TEST = new URL("running-test.js", import.meta.url).href

// Modules of a program import each other by relative paths with file extensions, so a path needs no look-up. A package resolves to the same
// file for all of them, so one look-up is enough. Node's own look-ups take a quarter of a program's start.
const ROOT = new URL("..", import.meta.url).href
const resolved = new Map()
registerHooks({
  resolve(specifier, context, next) {
    const { parentURL, conditions } = context
    if (specifier === DOMAINS) return { url: RUNNING_TEST, format: "module", shortCircuit: true }
    if (!parentURL?.startsWith("file:") || !conditions.includes("import")) return next(specifier, context)
    if (/^\.{1,2}\//.test(specifier)) {
      if (specifier.endsWith(".ts"))
        return { url: new URL(specifier, parentURL).href, format: "module-typescript", shortCircuit: true }
      if (specifier.endsWith(".js")) return { url: new URL(specifier, parentURL).href, shortCircuit: true }
      return next(specifier, context)
    }
    // Packages, and projects that tests make below .tap, may have packages of their own.
    if (!parentURL.startsWith(ROOT) || /\/(?:node_modules|\.tap)\//.test(parentURL))
      return next(specifier, context)
    const known = resolved.get(specifier)
    if (known !== undefined) return known
    const { url, format } = next(specifier, context)
    resolved.set(specifier, { url, format, shortCircuit: true })
    return { url, format }
  },
})

/** An argument that is an object with an environment, with what is shared in it. */
function withShared(word) {
  if (!word?.env) return word
  const env = { ...Object.fromEntries(SHARED), ...word.env }
  if (env.NODE_OPTIONS !== undefined) env.NODE_OPTIONS = env.NODE_OPTIONS.replace(RECORDER, "")
  return { ...word, env }
}
