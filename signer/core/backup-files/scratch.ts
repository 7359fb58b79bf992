import { existsSync, rmSync } from "node:fs"
import { rm } from "node:fs/promises"
import { constants } from "node:os"

/** A process that ends may still write. */
const REMOVE = { recursive: true, force: true, maxRetries: 5 }
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/** Pause between attempts to remove the folder, milliseconds, and their number. */
const [AGAIN_MS, MAX_ATTEMPTS] = [20, 50]

/** `onStop`: what must end before the folder is removed. */
export type Scratch = { readonly onStop: (end: () => void) => void }

/** The folder in which a rehearsal restores, beside the place of its largest file: that disk has room, and the folder is its user's alone. */
export const rehearsalOf = (path: string): string => `${path}.rehearsal-in-progress`

/**
 * Calls `use` while nothing is in the folder, and removes the folder however that ends: with a fault, by a signal, and after a command
 * that was killed the next time.
 */
export async function withScratch<T>(folder: string, use: (scratch: Scratch) => Promise<T>): Promise<T> {
  await rm(folder, REMOVE)
  const ends: (() => void)[] = []
  const stop = (signal: (typeof SIGNALS)[number]) => {
    for (const end of ends) end()
    removeNow(folder)
    process.exit(128 + constants.signals[signal])
  }
  for (const signal of SIGNALS) process.on(signal, stop)
  try {
    return await use({ onStop: (end) => ends.push(end) })
  } finally {
    await rm(folder, REMOVE)
    for (const signal of SIGNALS) process.off(signal, stop)
  }
}

/**
 * Removes the folder while nothing else of this process runs. File calls under way, of this process or of one that was just killed, may
 * still make a file in it, so that it is looked at again.
 */
function removeNow(folder: string): void {
  const never = new Int32Array(new SharedArrayBuffer(4))
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    rmSync(folder, REMOVE)
    Atomics.wait(never, 0, 0, AGAIN_MS)
    if (!existsSync(folder)) return
  }
}
