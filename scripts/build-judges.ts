// Builds programs in Go that judge the log: one over golang.org/x/mod/sumdb and torchwood, the fsck of Tessera, and the witness
// litewitness; and helm, which reads the chart. They come from the Go module proxy, and take minutes. Without them their tests are
// skipped aloud.
import { spawnSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { JUDGES, ROOT } from "./run.ts"

const FSCK = "github.com/transparency-dev/tessera/cmd/fsck@v1.0.4"
const LITEWITNESS = "filippo.io/torchwood/cmd/litewitness@v0.8.0"
const HELM = "helm.sh/helm/v3/cmd/helm@v3.17.0"

mkdirSync(JUDGES, { recursive: true })
build("log", ["build", "-o", join(JUDGES, "log"), "."], join(ROOT, "test/judges/log"))
for (const program of [FSCK, LITEWITNESS, HELM]) build(program, ["install", program], ROOT)

function build(name: string, commands: readonly string[], cwd: string): void {
  console.log(`building ${name}`)
  const env = { ...process.env, GOBIN: JUDGES }
  const { status, error } = spawnSync("go", commands, { cwd, env, stdio: "inherit" })
  if (status === 0) return
  const reason = error === undefined ? "go could not build it" : "there is no go in PATH"
  console.error(`not built: ${name}: ${reason}; its tests are skipped`)
  process.exitCode = 1
}
