// The attacker is another user of the host, or a program that sends the wrong signal (test/hostile/debugger.test.ts).
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import t from "tap"
import { askForDebugger, debuggerWait } from "../../../harness/ask-for-debugger.ts"
import { DEBUGGER } from "../../../harness/program.ts"
import { isAlive, membersOf } from "../dev-process.ts"
import { sharedDev } from "./shared-dev.ts"

t.test("D3: SIGUSR1 opens no debugger in the processes of a development system", async (t) => {
  const { directory, pid, log } = await sharedDev()
  const programs = [...membersOf(directory)].filter(([name]) => name !== "database")
  t.strictSame(programs.map(([name]) => name).toSorted(), [
    "api",
    "auth-proxy",
    "fetcher",
    "signer",
    "worker",
  ])
  const waitMs = await debuggerWait(t)
  for (const one of [pid, ...programs.map(([, member]) => member)]) askForDebugger(one)
  await pause(waitMs)
  for (const [name, member] of programs) {
    t.notMatch(readFileSync(join(directory, "logs", `${name}.log`), "utf8"), DEBUGGER, name)
    const command = execFileSync("ps", ["-o", "args=", "-p", String(member)]).toString()
    t.match(command, " --disable-sigusr1 ", name)
  }
  t.ok(isAlive(pid))
  t.notMatch(log().join("\n"), DEBUGGER, "dev")
})
