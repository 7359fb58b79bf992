import { readFile } from "node:fs/promises"
import { connect } from "node:net"
import { join } from "node:path"
import { SOCKET_NAME } from "./location.ts"

/** A running server, as its postmaster.pid names it. */
export type Postmaster = { pid: number; run: string }

/**
 * The server that has `data` open and accepts connections. Undefined: there is none, or it is not ready.
 * Lines of postmaster.pid: pid, data directory, start time, port, socket directory, address, memory, state.
 */
export async function findReady(data: string): Promise<Postmaster | undefined> {
  const text = await readFile(join(data, "postmaster.pid"), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return ""
    throw error
  })
  const [pid, , , , run, , , state] = text.split("\n").map((line) => line.trim())
  // The file of a killed server says "ready" too, but its socket accepts no connection.
  if (!pid || !run || state !== "ready" || !(await accepts(join(run, SOCKET_NAME)))) return undefined
  return { pid: Number(pid), run }
}

async function accepts(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false))
    socket.once("connect", () => socket.destroy())
  })
}

/** True if a process with this id exists, of any user. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}
