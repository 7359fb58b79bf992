import { displayPath } from "../terminal-client/display.ts"

const NOTICE_MS = 15_000

type SlowStart = {
  log: (line: string) => void
  /** Folder of the logs. */
  logs: string
  everyMs?: number
}

/** Prints every quarter of a minute that the start is still under way. The returned function stops it. */
export function reportSlowStart({ log, logs, everyMs = NOTICE_MS }: SlowStart): () => void {
  const began = performance.now()
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - began) / 1000)
    log(
      `still starting after ${seconds} s: this machine is slow, and nothing is lost. Logs: ${displayPath(logs)}`,
    )
  }, everyMs)
  return () => clearInterval(timer)
}
