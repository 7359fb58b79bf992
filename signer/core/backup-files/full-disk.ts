import { FAULT, StartError } from "../settings/start-fault.ts"

/** Errors of a file system without room: of the disk, and of a user's quota. */
const NO_ROOM: readonly unknown[] = ["ENOSPC", "EDQUOT"]

export const isFullDisk = (error: unknown): boolean => NO_ROOM.includes((error as NodeJS.ErrnoException).code)

/** Names a full disk in what `write` throws. @param then what became of what was written, and what to do */
export async function namingFullDisk<T>(path: string, then: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (!isFullDisk(error)) throw error
    throw new StartError(FAULT, `the disk of ${path} is full (${code}). ${then}`, { cause: error })
  }
}

/** The sentence of a command that keeps nothing. */
export const NOTHING_KEPT =
  "Nothing was kept: make room on it, or name a place on another disk, and give the command again"
