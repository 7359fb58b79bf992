import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { isAlive } from "./postmaster.ts"

/**
 * Which process stops the server. A server outlives an owner that was killed; the next one to find it takes
 * it over. While the owner lives, others only borrow.
 */
export async function claim(home: string): Promise<"owner" | "borrower"> {
  const file = join(home, "owner")
  const pid = Number(await readFile(file, "utf8").catch(() => "0"))
  if (pid > 0 && pid !== process.pid && isAlive(pid)) return "borrower"
  await take(home)
  return "owner"
}

/** For the process that has just started the server. */
export async function take(home: string): Promise<void> {
  await writeFile(join(home, "owner"), `${process.pid}\n`, { mode: 0o600 })
}
