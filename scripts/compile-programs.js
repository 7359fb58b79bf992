// Compiles the programs once after an installation, so that the first start finds their code compiled: it was two fifths of its
// processor time. A program's modules are loaded, and no program is run. Nothing depends on it: a start compiles what is not there.
// It is plain JavaScript, so that the Node of an installation can run it.
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

/** Files whose imports are the code of a program, by the options with which the program runs: they have a cache of their own. */
const PROGRAMS = {
  plain: [
    "services/api/main.ts",
    "services/auth-proxy/main.ts",
    "services/cli/declarations/host.ts",
    "services/dashboard-host/main.ts",
    "services/node/main.ts",
    "services/worker/main.ts",
    "signer/fetcher/main.ts",
    "signer/operator/main.ts",
    "signer/operator/run.ts",
    "signer/witness/main.ts",
  ],
  trusted: ["signer/enclave/main.ts", "signer/fetcher/main.ts"],
}
const OPTIONS = {
  plain: ["--disable-sigusr1"],
  // services/dev/layout.ts
  trusted: ["--disable-sigusr1", "--disallow-code-generation-from-strings", "--disable-proto=throw"],
}

/** Beside the packages, as in services/dev/compile-cache.ts. */
const CACHE =
  process.env.NODE_COMPILE_CACHE ??
  fileURLToPath(new URL("../node_modules/.cache/countersign", import.meta.url))

/** An import of a file, also one at run time. */
const IMPORT = /(?:\bfrom |^import |\bimport\()"(\.[^"]+\.ts)"/gm

const [kind] = process.argv.slice(2)
if (kind === undefined) await Promise.all(Object.keys(PROGRAMS).map(compile))
else for (const program of PROGRAMS[kind]) await load(program)

/** Ends well in any case: an installation does not fail for want of it. */
function compile(name) {
  const { promise, resolve } = Promise.withResolvers()
  const child = spawn(process.execPath, [...OPTIONS[name], fileURLToPath(import.meta.url), name], {
    env: { ...process.env, NODE_COMPILE_CACHE: CACHE },
    stdio: "ignore",
  })
  child.once("error", resolve)
  child.once("exit", resolve)
  return promise
}

async function load(program) {
  const file = new URL(`../${program}`, import.meta.url)
  for (const [, path] of readFileSync(file, "utf8").matchAll(IMPORT)) {
    // Loading the main file of a program runs it.
    if (!path.endsWith("/main.ts")) await import(new URL(path, file)).catch(() => undefined)
  }
}
