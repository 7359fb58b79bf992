import { setTimeout as pause } from "node:timers/promises"
import { onStopSignal } from "../../process/stop-signals.ts"
import { terminal } from "../../process/terminal.ts"
import { auditLinesBackwards } from "../../process/audit-folder.ts"
import type { CommandResult } from "../command-result.ts"
import { AuditReader } from "./reader.ts"

export type TailCommand = {
  verb: "tail"
  directory?: string | undefined
  count: number
  isFollowing: boolean
}

const POLL_MS = 500

/** The last records, as they are in the files. With `isFollowing` those that come are printed until a signal. */
export async function tailAudit(
  { count, isFollowing }: TailCommand,
  directory: string,
): Promise<CommandResult> {
  const reader = AuditReader.atEnd(directory)
  const lines = lastLines(directory, count)
  if (!isFollowing) return { lines, json: { records: lines.map((line) => JSON.parse(line) as object) } }
  lines.forEach(terminal.print)
  const stopping = new AbortController()
  onStopSignal(() => stopping.abort())
  while (!stopping.signal.aborted) {
    for (const { line } of reader.read(Number.POSITIVE_INFINITY)) terminal.print(line)
    await pause(POLL_MS, undefined, { signal: stopping.signal }).catch(() => undefined)
  }
  return { lines: [], json: {} }
}

function lastLines(directory: string, count: number): string[] {
  const lines: string[] = []
  for (const line of auditLinesBackwards(directory)) {
    if (lines.length >= count) break
    lines.unshift(line)
  }
  return lines
}
