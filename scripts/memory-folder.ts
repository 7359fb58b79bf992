// The folder for a test run's temporary files. In memory nothing waits for a disk: tests make thousands of ledgers and databases,
// and what they prove about lost power needs no real disk.
import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs"
import { join } from "node:path"

/** Where Linux keeps files in memory. */
const MEMORY = "/dev/shm"
/** A run of all tests uses up to 2 GiB; the rest is for the programs. */
const ENOUGH_BYTES = 6 * 2 ** 30

/** Space of a system for temporary files in memory. */
export type MemoryFiles = {
  /** The mounts in the form of /proc/self/mounts. */
  mounts: string
  /** Free bytes of the file system. */
  freeBytes: number
  /** Free memory of the machine, or of the container. */
  memoryBytes: number
}

/** Makes a folder in memory that this process removes when it exits. Undefined: the system has too little room there. */
export function makeMemoryFolder(found = memoryFiles()): string | undefined {
  if (found === undefined || !isUsable(found)) return undefined
  const folder = mkdtempSync(join(MEMORY, "cs-"))
  // PostgreSQL, which refuses to run as root, passes through it as another user.
  chmodSync(folder, 0o711)
  process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

/** Tests start programs from their folders: a mount without execution, as containers usually have, is of no use. */
export function isUsable({ mounts, freeBytes, memoryBytes }: MemoryFiles): boolean {
  const fields = mounts.split("\n").map((line) => line.split(" "))
  const mount = fields.find(([, path]) => path === MEMORY)
  const [, , type, options = ""] = mount ?? []
  return (
    type === "tmpfs" &&
    !options.split(",").includes("noexec") &&
    Math.min(freeBytes, memoryBytes) >= ENOUGH_BYTES
  )
}

function memoryFiles(): MemoryFiles | undefined {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    const mounts = readFileSync("/proc/self/mounts", "utf8")
    return { mounts, freeBytes: bavail * bsize, memoryBytes: process.availableMemory() }
  } catch {
    return undefined
  }
}
