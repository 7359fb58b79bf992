import { fstatSync, writeSync } from "node:fs"
import type { LogTarget } from "../core/log-output.ts"

const STANDARD_ERROR = 2

/**
 * Standard error as the target of a log. Node queues writes to pipes and sockets. Files are written at once, without
 * Node's stream: it would report a full disk as an exception outside any call. Written twice, here and in
 * `services/common/standard-error.ts`, for the reason given in `exit-with-parent.ts`.
 */
export function standardError(): LogTarget {
  const kind = fstatSync(STANDARD_ERROR)
  if (kind.isFIFO() || kind.isSocket()) {
    // A closed pipe: the lines are lost.
    process.stderr.on("error", () => undefined)
    return {
      write: (text) => void process.stderr.write(text),
      queued: () => process.stderr.writableLength,
    }
  }
  return {
    write(text) {
      const bytes = Buffer.from(text)
      if (writeSync(STANDARD_ERROR, bytes) < bytes.length) throw new Error("the log was written in part")
    },
    queued: () => 0,
  }
}
