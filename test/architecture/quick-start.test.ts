// The preload of test runs: every process shares one folder of compiled code, whatever environment it is started with.
import { spawnSync } from "node:child_process"
import { globSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import t from "tap"
import { ROOT } from "../../scripts/run.ts"

/** Starts a program in each way, with no environment but PATH; each prints its options of Node and its folder. */
const STARTS = `
  import { execFile, execFileSync, execSync, fork, spawn, spawnSync } from "node:child_process"
  import { once } from "node:events"
  import { getCompileCacheDir } from "node:module"
  const [, file, role, ...own] = process.argv
  const env = { PATH: process.env.PATH, ...(own.length > 0 && { NODE_OPTIONS: own[0] }) }
  const words = [file, "child"]
  const options = { env, encoding: "utf8" }
  if (role === "child") {
    const { NODE_OPTIONS: has = "" } = process.env
    console.log(JSON.stringify({ has, shares: getCompileCacheDir() }))
  } else {
    const texts = [spawnSync(process.execPath, words, options).stdout, execFileSync(process.execPath, words, options)]
    texts.push(execSync([process.execPath, ...words].join(" "), options))
    for (const start of [
      () => spawn(process.execPath, words, options),
      () => execFile(process.execPath, words, options),
      () => fork(file, ["child"], { ...options, silent: true }),
    ]) {
      const child = start()
      let text = ""
      child.stdout.on("data", (part) => (text += part))
      await once(child, "close")
      texts.push(text)
    }
    console.log("[" + texts.join(",") + "]")
  }`

t.test("a program that is started with another environment shares the compiled code", async (t) => {
  const { folder, preload, started } = starting(t.testdir({ "starts.mjs": STARTS, compiled: {} }))
  const processes = started()
  t.equal(processes.length, 6)
  for (const { has, shares } of processes) {
    t.equal(has, preload)
    t.ok(shares?.startsWith(folder), "it uses the folder of the run")
  }
  t.ok(globSync("**/*", { cwd: folder }).length > 1, "the folder has compiled code")
})

t.test(
  "a program with options of its own keeps them, and shares the compiled code all the same",
  async (t) => {
    const { folder, started } = starting(t.testdir({ "starts.mjs": STARTS, compiled: {} }))
    for (const { has, shares } of started("--no-deprecation")) {
      t.equal(has, "--no-deprecation")
      t.ok(shares?.startsWith(folder), "it uses the folder of the run")
    }
  },
)

/** Prints where Node finds each name, twice: the second answer comes from the preload's cache. */
const FINDS = `
  const names = process.argv.slice(2)
  console.log(JSON.stringify([...names, ...names].map((name) => import.meta.resolve(name))))`

t.test("a program finds each package and module where Node finds it without the preload", async (t) => {
  const { preload } = starting(t.testdir({ compiled: {} }))
  const names = [
    "@bufbuild/protobuf",
    "@noble/hashes/sha2.js",
    "@grpc/grpc-js",
    "node:fs",
    "fs",
    "../scripts/run.ts",
  ]
  // Below the top folder, as the files of tests and programs are.
  const file = join(ROOT, "test", `finds-${process.pid}.mjs`)
  writeFileSync(file, FINDS)
  t.teardown(() => rmSync(file))
  const found = (NODE_OPTIONS: string) => {
    const env = { PATH: process.env["PATH"], NODE_OPTIONS }
    return spawnSync(process.execPath, [file, ...names], { env, encoding: "utf8" }).stdout
  }
  const expected = found("--no-deprecation")
  t.equal((JSON.parse(expected) as string[]).length, 2 * names.length)
  t.equal(found(preload), expected)
})

t.test("a program that a test starts records no modules for tap", (t) => {
  const child = spawnSync(process.execPath, ["--print", "process.env.NODE_OPTIONS"], { encoding: "utf8" })
  t.equal(child.status, 0)
  t.notMatch(child.stdout, /processinfo/)
  t.end()
})

type Started = { has: string; shares?: string }

/** `started`: what the programs print that are started from a process with the preload. */
function starting(home: string) {
  const folder = join(home, "compiled")
  const url = pathToFileURL(join(ROOT, "scripts", "quick-start.js"))
  url.searchParams.set("folder", folder)
  const preload = `--import=${url.href}`
  const started = (...own: string[]): Started[] => {
    const words = [join(home, "starts.mjs"), "parent", ...own]
    const env = { PATH: process.env["PATH"], NODE_OPTIONS: preload }
    const { stdout, stderr, status } = spawnSync(process.execPath, words, { env, encoding: "utf8" })
    if (status !== 0) throw new Error(stderr)
    return JSON.parse(stdout) as Started[]
  }
  return { folder, preload, started }
}
