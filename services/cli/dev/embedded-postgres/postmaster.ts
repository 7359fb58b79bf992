import { readFile } from "node:fs/promises"
import { connect } from "node:net"
import { join } from "node:path"
import { SOCKET_NAME } from "./location.ts"

/** A running server, by its own account of itself. */
export type Postmaster = { pid: number; run: string }

/**
 * The server that has `data` open and accepts connections; undefined when there is none, or not yet.
 * postmaster.pid: pid, data directory, start time, port, socket directory, address, memory, state.
 */
export async function findReady(data: string): Promise<Postmaster | undefined> {
  const text = await readFile(join(data, "postmaster.pid"), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return ""
    throw error
  })
  const [pid, , , , run, , , state] = text.split("\n").map((line) => line.trim())
  // A file left by a killed server says "ready" as well, but nobody listens then.
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

/** Whether a process of this id exists, ours or not. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}
