// Runs tap over all tests, or over those named in the arguments, and closes with its count in one plain line.
import { spawn } from "node:child_process"
import { globSync, statSync } from "node:fs"
import { join } from "node:path"
import { readCount, summary } from "./tap-count.ts"
import { startTestServer, testEnvironment, type TestServer } from "./test-server.ts"
import { ROOT, TOOLS } from "./run.ts"

// tap wants files: a folder stands for the tests in it.
const given = process.argv
  .slice(2)
  .flatMap((argument) =>
    isFolder(argument) ? globSync(`${argument}/**/*.test.ts`, { cwd: ROOT }) : [argument],
  )
const reporter = given.some((argument) => argument.startsWith("--reporter")) ? [] : ["--reporter=tap"]
const server = await serverFor(given)
const child = spawn("tap", [...reporter, ...given], {
  cwd: ROOT,
  env: testEnvironment(TOOLS, server),
  stdio: ["inherit", "pipe", "inherit"],
})

// The count stands at the very end, after the coverage table: the last part of the output is enough.
const TAIL_CHARACTERS = 65_536
let tail = ""
child.stdout.setEncoding("utf8")
child.stdout.on("data", (text: string) => {
  process.stdout.write(text)
  tail = (tail + text).slice(-TAIL_CHARACTERS)
})
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal))

child.on("error", (error) => console.error(`tap cannot be started: ${error.message}`))

const code = await new Promise<number | null>((resolve) => child.once("close", resolve))
await server?.stop().catch((error: Error) => console.error(`the database does not stop: ${error.message}`))
const count = readCount(tail)
if (count === undefined) console.error("tap ended without a count")
console.log(summary(count ?? { passed: 0, failed: 1, skipped: 0 }))
process.exitCode = count === undefined ? code || 1 : (code ?? 1)

/** None where one is given; none for a single file, which starts its own if it needs one. */
async function serverFor(files: readonly string[]): Promise<TestServer | undefined> {
  if (files.length === 1 || testEnvironment(process.env)["TEST_DATABASE_URL"] !== undefined) return undefined
  return startTestServer().catch((error: Error) => {
    console.error(`no embedded PostgreSQL: ${error.message}`)
    return undefined
  })
}

function isFolder(argument: string): boolean {
  return (
    !argument.startsWith("-") &&
    (statSync(join(ROOT, argument), { throwIfNoEntry: false })?.isDirectory() ?? false)
  )
}
