import { execFile } from "node:child_process"
import { chmod } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"

/**
 * Builds the library that makes each sync a millisecond slower; undefined where there is no compiler. Settings
 * of PostgreSQL cannot do this: commit_delay waits before the sync and only for company.
 */
export async function buildSlowSync(directory: string): Promise<string | undefined> {
  if (process.platform !== "linux") return undefined
  const library = join(directory, "slow-sync.so")
  const source = join(import.meta.dirname, "slow-sync.c")
  try {
    await promisify(execFile)("gcc", ["-shared", "-fPIC", "-O2", "-o", library, source, "-ldl"])
    await chmod(library, 0o755)
    return library
  } catch {
    return undefined
  }
}
