import { CliError, ExitCode } from "../terminal-client/exit.ts"
import type { SystemProcess, SystemProcessName } from "./system-process.ts"

/** All processes of the development system. If one ends, all are stopped. */
export type DevSystem = {
  /** Adds a running process. */
  add: (systemProcess: SystemProcess) => Promise<void>
  /** Rejects with the name of a process that ended without a stop request. */
  readonly broken: Promise<never>
  /** Stops each process before those it depends on. */
  stop: () => Promise<void>
  /** Kills all processes at once. Every change that they have acknowledged is on disk. */
  kill: () => void
}

/** Processes in the order in which they are stopped. Those on one line are independent and are stopped together. */
const STOP_ORDER: readonly (readonly SystemProcessName[])[] = [
  ["auth-proxy", "worker"],
  ["api"],
  ["fetcher", "signer"],
  ["database"],
]

export function createSystem(
  log: (line: string) => void,
  recordPid: (pid: number, name: string) => Promise<void>,
): DevSystem {
  const processes: SystemProcess[] = []
  const { promise: broken, reject } = Promise.withResolvers<never>()
  let stopping = false
  // The promise may reject before anything awaits it.
  broken.catch(() => undefined)

  async function onExit({ name, logTail }: SystemProcess, how: string): Promise<void> {
    if (stopping) return
    stopping = true
    const tail = await logTail().catch(() => [])
    reject(new CliError(ExitCode.fault, `${name} ended by itself (${how}), so all processes were stopped`))
    if (tail.length > 0) for (const line of [`end of the log of ${name}:`, ...tail]) log(line)
  }

  return {
    broken,
    kill() {
      stopping = true
      for (const systemProcess of processes) systemProcess.kill()
    },
    async add(systemProcess) {
      processes.push(systemProcess)
      void systemProcess.ended.then((how) => onExit(systemProcess, how))
      await recordPid(systemProcess.pid, systemProcess.name)
    },
    async stop() {
      stopping = true
      for (const names of STOP_ORDER) {
        const next = names.flatMap((name) => processes.filter((systemProcess) => systemProcess.name === name))
        await Promise.all(next.map((systemProcess) => systemProcess.stop()))
      }
    },
  }
}
