// Runs commands of the installed programs in one process: starting a program takes longer than most of its commands. A caller
// connects and sends the name of a folder as a line. Its file `request` has the caller's folder, the program, the number of
// words, the words and the environment, each ended by a zero byte. The reply is the exit status, once `out` and `log` are there.
import { readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { run as runClient } from "../../services/cli/run.ts"
import { run as runNode } from "../../services/node/run.ts"
import { run as runOperator } from "../../signer/operator/run.ts"

type Command = { folder: string; program: string; words: string[]; environment: NodeJS.ProcessEnv }

const PROGRAMS: Readonly<Record<string, (command: Command) => Promise<number>>> = {
  countersign: ({ words, environment }) => runClient(words, environment),
  "countersign-node": ({ words }) => runNode(words),
  "countersign-fetcher": ({ words }) => runFetcher(words),
  "countersign-signer": ({ words, environment }) => runOperator(words, environment),
}

const mask = process.umask()
const [print, log] = [process.stdout, process.stderr].map((stream) => stream.write.bind(stream)) as [
  typeof process.stdout.write,
  typeof process.stderr.write,
]
let fetcherRuns = 0
/** The end of the last command: commands change the folder and the environment of this process, so one runs at a time. */
let last: Promise<unknown> = Promise.resolve()

const server = createServer((socket) => {
  socket.on("error", () => undefined)
  createInterface({ input: socket }).once("line", (folder) => {
    last = last.then(async () => socket.end(`${await answer(folder)}\n`)).catch(fail)
  })
})
server.listen(0, "127.0.0.1", () => print(`${(server.address() as { port: number }).port}\n`))
// The pipe ends with the process that started this one.
process.stdin.resume().once("end", () => process.exit())

async function answer(folder: string): Promise<number> {
  const command = readCommand(readFileSync(join(folder, "request"), "utf8"))
  const run = PROGRAMS[command.program]
  if (run === undefined) throw new Error(`no program ${command.program}`)
  const written = { out: "", log: "" }
  const writer = (name: "out" | "log") => (text: string | Uint8Array) => {
    written[name] += typeof text === "string" ? text : Buffer.from(text).toString()
    return true
  }
  process.chdir(command.folder)
  process.umask(mask)
  process.env = command.environment
  Object.assign(process.stdout, { write: writer("out") })
  Object.assign(process.stderr, { write: writer("log") })
  try {
    return await run(command)
  } finally {
    Object.assign(process.stdout, { write: print })
    Object.assign(process.stderr, { write: log })
    for (const name of ["out", "log"] as const) writeFileSync(join(folder, name), written[name])
  }
}

/** Its program does its work when it is imported: each time it is another module. */
async function runFetcher(words: readonly string[]): Promise<number> {
  const program = new URL("../../signer/fetcher/main.ts", import.meta.url)
  program.searchParams.set("run", String((fetcherRuns += 1)))
  process.argv = [process.execPath, program.pathname, ...words]
  await import(program.href)
  const status = Number(process.exitCode)
  process.exitCode = 0
  return status
}

function readCommand(request: string): Command {
  const [folder = "", program = "", count = "", ...rest] = request.split("\0")
  const words = rest.slice(0, Number(count))
  const settings = rest.slice(words.length).filter((line) => line !== "")
  const environment = Object.fromEntries(
    settings.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  )
  return { folder, program, words, environment }
}

function fail(error: unknown): void {
  log(`${error instanceof Error ? error.stack : String(error)}\n`)
  process.exit(1)
}
