import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { once } from "node:events"
import { join } from "node:path"
import t from "tap"
import { OperatorService } from "../../../proto/gen/countersign/signer/v1/operator_pb.ts"
import { addService } from "../../../proto/grpc.ts"
import { readConfig } from "../../../signer/enclave/config.ts"
import { runCommand } from "../../../signer/operator/run-command.ts"
import { withService } from "../../../signer/process/socket-client.ts"
import { readCommand, usage } from "../../../signer/operator/command-line.ts"
import { operatorHandlers } from "../../../signer/enclave/rpc/index.ts"
import { listenOnSocket, newServer, statusOf } from "../../../signer/process/transport.ts"
import { ApiClient } from "../../harness/api-client.ts"
import { InProcessBoundary } from "../../harness/boundary.ts"
import { runCommandLine } from "../../harness/commands.ts"
import { dataDirectory, devEnvironment, runProgram as startProgram } from "./dev-process.ts"

const OPERATOR = "signer/operator/main.ts"

/** Runs a command line of the operator's program. */
async function run(directory: string, ...words: string[]) {
  const line = { program: OPERATOR, words, environment: devEnvironment(directory), input: "" }
  const { status, out, log } = await runCommandLine(line)
  return { status, out, log: log.trimEnd() }
}

t.test("the operator's command parses its arguments", async (t) => {
  t.same(readCommand(["setup-code", "--for", "02aa", "--expires", "60", "--json"]), {
    name: "setup-code",
    publicKey: "02aa",
    expirationSeconds: 60,
    json: true,
    waitSeconds: 0,
    approvals: [],
  })
  t.same(readCommand(["status", "--wait=5"]), { name: "status", json: false, waitSeconds: 5 })
  t.same(readCommand(["serve"]), { name: "serve" })
  for (const words of [["help"], ["--help"], ["status", "-h"]]) t.same(readCommand(words), { name: "help" })
})

t.test("each example in the help of the operator's command is a command line of it", async (t) => {
  const examples = [...usage.matchAll(/^ {2}countersign-signer (.+)$/gm)].map(([, words = ""]) =>
    words.split(" "),
  )
  t.ok(examples.length > 0)
  for (const words of examples) t.match(readCommand(words).name, new RegExp(`^${words[0]}\\b`))
})

t.test("the operator's command refuses an unknown argument by name", async (t) => {
  const faults: [string[], RegExp][] = [
    [[], /no command/],
    [["sign"], /^no command "sign": countersign-signer --help lists commands and options$/],
    [["setup-code"], /--for/],
    [["setup-code", "--for", "02aa", "--expires", "soon"], /--expires/],
    [["status", "--for", "02aa"], /--for belongs to setup-code, approve and holder/],
    [["status", "now"], /"now"/],
    [["status", "--nonsense"], /nonsense/],
    [["status", "--wait", "99999"], /--wait/],
  ]
  for (const [words, message] of faults) t.throws(() => readCommand(words), { message }, words.join(" "))
})

t.test(
  "an unreachable signer has its own exit status, and the message names the program to start",
  async (t) => {
    const { status, out, log } = await startProgram(dataDirectory(t), OPERATOR, "status")
    t.equal(status, 5)
    t.equal(out, "")
    t.match(log, /operator\.sock \(ENOENT\).*countersign-signer serve/)
  },
)

t.test(
  "the operator's command prints its version, and names npm start for a development directory",
  async (t) => {
    const directory = dataDirectory(t)
    t.match(await run(directory, "--version"), {
      status: 0,
      out: /^\d+\.\d+/,
    })
    mkdirSync(directory, { recursive: true })
    writeFileSync(join(directory, "DEVELOPMENT"), "")
    const { status, log } = await run(directory, "status")
    t.equal(status, 5)
    t.match(log, /npm start$/)
    const inFile = await run(join(directory, "DEVELOPMENT"), "status")
    t.match(inFile, { status: 5, log: /is below a file/ })
  },
)

t.test(
  "the operator's command waits for a signer that listens later, and stops at its deadline",
  async (t) => {
    const directory = dataDirectory(t)
    mkdirSync(directory, { recursive: true })
    const path = join(directory, "operator.sock")
    const hasListened = async () => server.listening
    const asked = withService(OperatorService, path, 60, hasListened)
    const server = createServer((socket) => socket.destroy()).listen(path)
    t.teardown(() => server.close())
    t.equal(await asked, true)
    const nobody = withService(OperatorService, join(directory, "other.sock"), 0.1, hasListened)
    await t.rejects(nobody, { status: 5, message: /no signer answers/ })
  },
)

t.test("the operator's command refuses a listener that is no signer", async (t) => {
  const directory = dataDirectory(t)
  mkdirSync(join(directory, "operator"), { recursive: true })
  chmodSync(join(directory, "operator"), 0o700)
  const server = createServer((socket) => socket.destroy()).listen(
    join(directory, "operator", "operator.sock"),
  )
  await once(server, "listening")
  t.teardown(() => server.close())
  const { status, out } = await run(directory, "status", "--json")
  t.equal(status, 5)
  t.equal(out, "")
})

t.test("accept-clock for a clock that went back prints until when nothing is decided", async (t) => {
  const boundary = new InProcessBoundary()
  t.teardown(() => boundary.close())
  // Without an organization nothing has run that could run again, and the wait is short.
  await new ApiClient(boundary).createOrganization()
  boundary.clock.setWall(Date.UTC(2025, 11, 31))
  await boundary.signer.purge()
  await boundary.restart()
  const config = readConfig({ COUNTERSIGN_DATA_DIR: boundary.directory })
  const server = newServer()
  addService(server, OperatorService, operatorHandlers, () => boundary.signer, statusOf)
  await listenOnSocket(server, config.operatorSocket)
  t.teardown(() => server.forceShutdown())

  const until = /nothing is decided until 2026-01-01T00:00:00\.\d{3}Z/
  const { lines, json } = await runCommand(
    { name: "accept-clock", json: false, waitSeconds: 5, approvals: [] },
    config,
  )
  t.equal(lines[0], "The clock is accepted.")
  t.match(lines[1], /^CLOCK_UNTRUSTED: the clock was set back, or an older ledger was accepted: /)
  t.match(lines[1], until)
  t.match(json, { phase: "CLOCK_UNTRUSTED", explanation: until })
  const status = () => runCommand({ name: "status", json: false, waitSeconds: 5 }, config)
  t.match(await status(), { json: { phase: "CLOCK_UNTRUSTED" }, exitStatus: 3 })
  boundary.clock.pass(24 * 60 * 60 * 1000 + 1000)
  t.match(await status(), { json: { phase: "READY" }, exitStatus: 0 })
})

t.test("a fault of the operator's settings is a usage fault", async (t) => {
  t.match(await run(dataDirectory(t), "nonsense"), {
    status: 2,
    log: /countersign-signer --help lists commands/,
  })
})
