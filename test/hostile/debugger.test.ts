// The attacker is another user of the host, or a program that sends the wrong signal. On SIGUSR1 Node opens a debugger on a TCP
// port, and every process that connects reads all memory.
import { setTimeout as pause } from "node:timers/promises"
import t, { type Test } from "tap"
import { freshDatabase } from "../harness/database.ts"
import { askForDebugger, debuggerWait } from "../harness/ask-for-debugger.ts"
import { casesOf } from "../harness/long.ts"
import { DEBUGGER, Program, type Start } from "../harness/program.ts"

/** Keeps a program running that would end after its command, so that the signal meets it. */
const KEEP_RUNNING = ["--import", "data:text/javascript,setInterval(() => undefined, 1000)"]

/** Programs that run until they are stopped, with what they print when they are up. API and worker need a database too. */
const SERVERS: { [name: string]: Start & { up: RegExp } } = {
  signer: { file: "signer/enclave/main.ts", up: /signer is up/ },
  worker: {
    file: "services/worker/main.ts",
    environment: { COUNTERSIGN_WORKER_LISTEN: "localhost:0" },
    up: /"listening"/,
  },
  fetcher: { file: "signer/fetcher/main.ts", words: ["serve", "--init"], up: /fetcher is up/ },
  api: {
    file: "services/api/main.ts",
    environment: { COUNTERSIGN_API_LISTEN: "localhost:0" },
    up: /"listening"/,
  },
  "auth-proxy": {
    file: "services/auth-proxy/main.ts",
    environment: { COUNTERSIGN_AUTH_PROXY_LISTEN: "localhost:0" },
    up: /"listening"/,
  },
  "signer by the operator's command": {
    file: "signer/operator/main.ts",
    words: ["serve"],
    up: /signer is up/,
  },
}

/** Commands, with what they print when they are done. */
const COMMANDS: { [name: string]: Start & { up: RegExp } } = {
  countersign: { file: "services/cli/main.ts", words: ["--help"], up: /Usage/ },
  "countersign-signer": { file: "signer/operator/main.ts", words: ["help"], up: /Usage/ },
  "countersign-fetcher": { file: "signer/fetcher/main.ts", words: ["init"], up: /^04[0-9a-f]{258}/m },
  "settings of the api": { file: "services/api/check-settings.ts", up: /^\[/ },
  "settings of the auth-proxy": { file: "services/auth-proxy/check-settings.ts", up: /^\[/ },
  "settings of the worker": { file: "services/worker/check-settings.ts", up: /^\[/ },
  "settings of the signer": { file: "signer/enclave/check-settings.ts", up: /^\[/ },
  "settings of the fetcher": { file: "signer/fetcher/check-settings.ts", up: /^\[/ },
}

/** Code that runs before the program and takes long, so that a signal meets it. */
const SLOWLY = "console.log('begun'); for (const end = Date.now() + 300; Date.now() < end; );"
const BEGIN_SLOWLY = ["--import", `data:text/javascript,${SLOWLY}`]

function start(t: Test, program: Start): Program {
  const started = new Program(program)
  t.teardown(() => started.stop())
  return started
}

/** The twin: a program without the guard opens its debugger. The others are watched longer. */
let waitMs = 0
t.test("a program without the guard opens a debugger on SIGUSR1", async (t) => {
  waitMs = await debuggerWait(t)
})

t.test("D3: SIGUSR1 opens no debugger in a running process", async (t) => {
  const { url } = await freshDatabase(t)
  await Promise.all(
    casesOf(2, Object.entries(SERVERS)).map(async ([name, { up, environment, ...program }]) => {
      const running = start(t, {
        ...program,
        environment: { ...environment, ...(/^(?:api|worker)$/.test(name) && { DATABASE_URL: url }) },
      })
      await running.until(up)
      askForDebugger(running.pid)
      await pause(waitMs)
      t.notMatch(running.output, DEBUGGER, name)
      t.notOk(running.hasEnded, `${name} goes on`)
    }),
  )
})

t.test("D3: SIGUSR1 opens no debugger in a command", async (t) => {
  for (const [name, { up, ...program }] of casesOf(2, Object.entries(COMMANDS))) {
    const running = start(t, { ...program, options: KEEP_RUNNING })
    await running.until(up)
    askForDebugger(running.pid)
    await pause(waitMs)
    t.notMatch(running.output, DEBUGGER, name)
    t.notOk(running.hasEnded, name)
  }
})

t.test(
  "D3: SIGUSR1 before a process runs its first line opens no debugger, or ends the process",
  async (t) => {
    const file = "signer/enclave/main.ts"
    const asDocumented = start(t, { file, options: ["--disable-sigusr1", ...BEGIN_SLOWLY] })
    await asDocumented.until(/begun/)
    process.kill(asDocumented.pid, "SIGUSR1")
    await asDocumented.until(/signer is up/)
    await pause(waitMs)
    t.notMatch(asDocumented.output, DEBUGGER)
    const withoutOption = start(t, { file, options: BEGIN_SLOWLY })
    await withoutOption.until(/begun/)
    process.kill(withoutOption.pid, "SIGUSR1")
    const status = await withoutOption.endedBefore(/signer is up/)
    // The port may be in use by another program of this host: then nothing opens.
    if (/Starting inspector.*failed/.test(withoutOption.output)) return t.equal(status, "running")
    t.equal(status, 78)
    t.match(withoutOption.output, /^a debugger's port is open in this process/m)
  },
)

t.test("D3: no program starts with an open debugger", async (t) => {
  const programs = [...casesOf(4, Object.entries(SERVERS)), ...casesOf(2, Object.entries(COMMANDS))]
  for (const [name, { up, ...program }] of programs) {
    const refused = start(t, { ...program, options: ["--inspect=127.0.0.1:0"] })
    t.equal(await refused.endedBefore(up), 78, name)
    t.match(refused.output, /^--inspect in the command line: opens a debugger/m, name)
    t.notMatch(refused.output, up, name)
  }
  const [file, inspect] = ["signer/enclave/main.ts", "--inspect=127.0.0.1:0"]
  const byEnvironment = start(t, { file, environment: { NODE_OPTIONS: inspect } })
  t.equal(await byEnvironment.endedBefore(/signer is up/), 78)
  t.match(byEnvironment.output, /^--inspect in NODE_OPTIONS: opens a debugger/m)
  const open = "data:text/javascript,import { open } from 'node:inspector'; open(0)"
  const byCode = start(t, { file, options: ["--import", open] })
  t.equal(await byCode.endedBefore(/signer is up/), 78)
  t.match(byCode.output, /^a debugger's port is open in this process/m)
})
