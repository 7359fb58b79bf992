// One version, wherever it stands: packages, programs, the API, proofs, and documents that name it.
import { globSync } from "node:fs"
import t from "tap"
import { release } from "../../signer/enclave/provision/code.ts"
import { startApi } from "../services/api/start-api.ts"
import { dataDirectory, runProgram } from "../services/cli/dev-process.ts"
import { ROOT, textOf } from "./markdown.ts"

const { version } = JSON.parse(textOf("package.json")) as { version: string }

const PROGRAMS = [
  "services/cli/main.ts",
  "services/node/main.ts",
  "signer/operator/main.ts",
  "signer/fetcher/main.ts",
]

t.test("the version is the same wherever it is printed", async (t) => {
  t.match(version, /^\d+\.\d+\.\d+$/)
  for (const path of ["package-lock.json", ...globSync("images/*/package{,-lock}.json", { cwd: ROOT })]) {
    const named = JSON.parse(textOf(path)) as { version: string; packages?: { "": { version: string } } }
    t.equal(named.version, version, path)
    t.equal(named.packages?.[""].version ?? version, version, path)
  }
  const directory = dataDirectory(t)
  for (const program of PROGRAMS) {
    const { status, out } = await runProgram(directory, program, "--version")
    t.strictSame([status, out.trim()], [0, version], program)
  }
  const { send } = await startApi(t)
  t.match((await send("/version")).json, { name: "countersign", version })
  t.equal(release(), `countersign ${version}+checkout`)
})

t.test("the changelog has a dated section of the version, below what is not released", async (t) => {
  const sections = [...textOf("CHANGELOG.md").matchAll(/^## \[([^\]]+)\](?: - (.*))?$/gm)]
  const [unreleased, newest] = sections.map(([, name = "", date]) => ({ name, date }))
  t.strictSame(unreleased, { name: "Unreleased", date: undefined })
  t.equal(newest?.name, version)
  const date = new Date(`${newest?.date}T00:00:00Z`)
  t.equal(date.toISOString().slice(0, 10), newest?.date)
  t.ok(date.getTime() <= Date.now() + 86_400_000, "a release is not of the future")
})

t.test("documents name the present version as the newest release", async (t) => {
  t.match(textOf("SECURITY.md"), `The newest release, ${version}.`)
  t.match(textOf("docs/UPGRADING.md"), `## To ${version}`)
})
