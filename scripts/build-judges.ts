// Gets what judges from outside. In Go, from its module proxy, in minutes: backups by Go's own HPKE; proofs by a second verifier; the log by
// one over golang.org/x/mod/sumdb and torchwood, by Tessera's fsck and the witness litewitness; helm, which reads the chart. From npm: the
// EntryPoint contracts of ERC-4337, which are under the GPL and so no part of this repository. Tests without their judge are skipped aloud.
import { execFileSync, spawnSync } from "node:child_process"
import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { JUDGES, ROOT, TOOLS } from "./run.ts"

const FSCK = "github.com/transparency-dev/tessera/cmd/fsck@v1.0.4"
const LITEWITNESS = "filippo.io/torchwood/cmd/litewitness@v0.8.0"
/** An artifact of a compiler has megabytes. */
const MOST_BYTES = 64 * 1024 * 1024
const HELM = "helm.sh/helm/v3/cmd/helm@v3.17.0"

mkdirSync(JUDGES, { recursive: true })
for (const name of ["log", "backup", "proofs"])
  build(name, ["build", "-o", join(JUDGES, name), "."], join(ROOT, "test/judges", name))
for (const program of [FSCK, LITEWITNESS, HELM]) build(program, ["install", program], ROOT)
for (const version of ["0.7", "0.8"]) fetchEntryPoint(version)

function build(name: string, commands: readonly string[], cwd: string): void {
  console.log(`building ${name}`)
  const env = { ...process.env, GOBIN: JUDGES }
  const { status, error } = spawnSync("go", commands, { cwd, env, stdio: "inherit" })
  if (status === 0) return
  const reason = error === undefined ? "go could not build it" : "there is no go in PATH"
  console.error(`not built: ${name}: ${reason}; its tests are skipped`)
  process.exitCode = 1
}

/** The creation code, in hexadecimal. Its test deploys it with its authors' salt: the address shows that not a byte differs. */
function fetchEntryPoint(version: string): void {
  const name = `entry-point-${version}.hex`
  console.log(`fetching ${name}`)
  const folder = mkdtempSync(join(tmpdir(), "entry-point-"))
  try {
    run("npm", ["pack", "--silent", `@account-abstraction/contracts@${version}.0`], folder)
    const [archive = ""] = globSync("*.tgz", { cwd: folder })
    const artifact = run("tar", ["xzOf", archive, "package/artifacts/EntryPoint.json"], folder)
    const { bytecode } = JSON.parse(artifact) as { bytecode: string }
    writeFileSync(join(JUDGES, name), bytecode)
  } catch (error) {
    console.error(`not fetched: ${name}: ${String(error)}; its test is skipped`)
    process.exitCode = 1
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function run(program: string, words: readonly string[], cwd: string): string {
  return execFileSync(program, words, { cwd, env: TOOLS, encoding: "utf8", maxBuffer: MOST_BYTES })
}
