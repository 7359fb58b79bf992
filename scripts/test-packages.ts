// Installs the development packages, which only tests, checks and benchmarks need, unless they are installed. `npm ci`
// leaves them out (.npmrc): they are as large as everything else together.
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { ROOT, TOOLS } from "./run.ts"

// An installation by earlier code has no links.
spawnSync(process.execPath, [join(ROOT, "scripts/link-commands.js")])

type Manifest = { version?: string; devDependencies?: Record<string, string> }

const wanted = Object.entries(manifestIn("")?.devDependencies ?? {})
const missing = wanted.filter(
  ([name, version]) => manifestIn(join("node_modules", name))?.version !== ownVersion(version),
)
if (missing.length > 0) {
  console.log(`installing ${missing.length} packages of tests and checks, once; it takes a minute or two`)
  const { status } = spawnSync("npm", ["install", "--include=dev", "--no-save"], {
    cwd: ROOT,
    env: TOOLS,
    stdio: "inherit",
  })
  if (status !== 0)
    console.error("tests and checks need the development packages; npm could not install them")
  process.exitCode = status ?? 1
}

/** The manifest of the package in a folder below the project's; undefined where there is none. */
function manifestIn(folder: string): Manifest | undefined {
  try {
    return JSON.parse(readFileSync(join(ROOT, folder, "package.json"), "utf8")) as Manifest
  } catch {
    return undefined
  }
}

/** The version in `npm:@turnkey/core@1.14.1`, under which an earlier one stands beside the present one; else the text. */
function ownVersion(spec: string): string {
  return spec.replace(/^npm:.*@/, "")
}
