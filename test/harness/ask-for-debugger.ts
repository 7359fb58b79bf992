import type { Test } from "tap"
import { DEBUGGER, Program } from "./program.ts"

/** Any process of the same user can ask: Node's `process._debugProcess` sends the same signal. */
export function askForDebugger(pid: number): void {
  process.kill(pid, "SIGUSR1")
}

/** How long to watch a program for its debugger: ten times what a program without the guard takes to open it, in milliseconds. */
export async function debuggerWait(t: Test): Promise<number> {
  const plain = new Program({ file: "test/harness/idle.ts" })
  t.teardown(() => plain.stop())
  await plain.until(/idle/)
  const began = performance.now()
  askForDebugger(plain.pid)
  await plain.until(DEBUGGER)
  return 10 * (performance.now() - began) + 100
}
