import { setImmediate } from "node:timers/promises"
import t from "tap"
import type { SystemProcess, SystemProcessName } from "../../../services/dev/system-process.ts"
import { createSystem } from "../../../services/dev/system.ts"
import { ExitCode } from "../../../services/terminal-client/exit.ts"

function fake(name: SystemProcessName, log: string[]) {
  const { promise: ended, resolve: end } = Promise.withResolvers<string>()
  const member: SystemProcess = {
    name,
    pid: log.length + 1,
    ended,
    stop: async () => {
      log.push(name)
      end("SIGTERM")
    },
    kill: () => undefined,
    logTail: async () => [`${name} was here`],
  }
  return { member, end }
}

t.test("the system stops its servers first and the database last", async (t) => {
  const log: string[] = []
  const noted: number[] = []
  const system = createSystem(
    () => undefined,
    async (pid) => void noted.push(pid),
  )
  for (const name of ["signer", "database", "api", "worker", "auth-proxy", "fetcher"] as const)
    await system.add(fake(name, log).member)
  await system.stop()
  t.same(log, ["auth-proxy", "worker", "api", "fetcher", "signer", "database"])
  t.equal(noted.length, 6)
})

t.test("the system names a process that ended by itself and prints the end of its log", async (t) => {
  const said: string[] = []
  const system = createSystem(
    (line) => said.push(line),
    async () => undefined,
  )
  const signer = fake("signer", [])
  await system.add(signer.member)
  signer.end("SIGKILL")
  await t.rejects(system.broken, { code: ExitCode.fault, message: /SIGKILL.*so all processes were stopped$/ })
  t.same(said, ["end of the log of signer:", "signer was here"])
})

t.test("the system does not report programs that it stops itself", async (t) => {
  const said: string[] = []
  const system = createSystem(
    (line) => said.push(line),
    async () => undefined,
  )
  await system.add(fake("api", []).member)
  await system.stop()
  await setImmediate()
  t.same(said, [])
})
