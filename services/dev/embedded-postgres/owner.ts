import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { isAlive } from "./postmaster.ts"

/** Time within which the process that started a server writes the owner file. */
const CLAIM_TIMEOUT_MS = 2_000
const POLL_MS = 20

/**
 * Called by a process that found a server running. While the server's owner runs, other processes only use the server. If
 * the owner was killed, the next process that finds the server becomes its owner and stops it at its own end.
 */
export async function claimServer(home: string, serverPid: number): Promise<"owner" | "borrower"> {
  for (const deadline = performance.now() + CLAIM_TIMEOUT_MS; performance.now() < deadline; ) {
    const [owner = 0, server] = await readOwner(home)
    if (server === serverPid) {
      if (owner !== process.pid && isAlive(owner)) return "borrower"
      break
    }
    // The file names an earlier server: the process that started this one has not written its own yet.
    await sleep(POLL_MS)
  }
  await recordOwner(home, serverPid)
  return "owner"
}

/** Called by the process that has just started the server. */
export async function recordOwner(home: string, serverPid: number): Promise<void> {
  await writeFile(join(home, "owner"), `${process.pid} ${serverPid}\n`, { mode: 0o600 })
}

async function readOwner(home: string): Promise<number[]> {
  const text = await readFile(join(home, "owner"), "utf8").catch(() => "")
  return text.trim().split(" ").map(Number)
}
