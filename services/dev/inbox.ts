import { existsSync, watch } from "node:fs"
import { readFile } from "node:fs/promises"
import { basename, dirname } from "node:path"
import { CliError, ExitCode } from "../terminal-client/exit.ts"
import type { Terminal } from "../terminal-client/terminal.ts"

export type InboxOptions = { json?: boolean; watch?: boolean }

/** A message as the fetcher's outbox holds it, one JSON object a line. */
type Sent = { sentAt: string; channel: string; to: string; subject?: string; text: string }

/**
 * Prints the messages of a development system, the newest first. With `watch` also those that come, as they come, until
 * the signal.
 *
 * @throws {CliError} fault if there is no data directory of a fetcher
 */
export async function devInbox(
  file: string,
  options: InboxOptions,
  terminal: Terminal,
  signal?: AbortSignal,
): Promise<void> {
  if (!existsSync(dirname(file))) {
    const sentence = `${dirname(file)} is missing: start a development system first, npx countersign dev`
    throw new CliError(ExitCode.fault, sentence)
  }
  const show = (sent: Sent) => linesOf(sent, options).forEach(terminal.print)
  const before = await readMessages(file)
  if (before.length === 0 && !options.json) terminal.log("no message yet")
  before.toReversed().forEach(show)
  if (!options.watch) return
  let shown = before.length
  await onChange(file, signal, async () => {
    const now = await readMessages(file)
    for (const sent of now.slice(shown)) show(sent)
    shown = now.length
  })
}

/** Calls `read` at each change of the file, one call at a time, until the signal. */
async function onChange(
  file: string,
  signal: AbortSignal | undefined,
  read: () => Promise<void>,
): Promise<void> {
  let reading = read()
  // The directory: the file may not exist yet.
  const watcher = watch(dirname(file), (_event, name) => {
    if (name === basename(file)) reading = reading.then(read)
  })
  await new Promise<void>((resolve) => {
    if (signal?.aborted) resolve()
    signal?.addEventListener("abort", () => resolve(), { once: true })
  })
  watcher.close()
  await reading
}

async function readMessages(file: string): Promise<Sent[]> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return ""
    throw error
  })
  // The last line may be half written: it ends with a line break once it is whole.
  const lines = text.split("\n").slice(0, -1)
  return lines.map((line) => JSON.parse(line) as Sent)
}

function linesOf(sent: Sent, { json }: InboxOptions): string[] {
  if (json) return [JSON.stringify(sent)]
  const { sentAt, channel, to, subject, text } = sent
  const head = `${sentAt}  ${channel} to ${to}${subject === undefined ? "" : `: ${subject}`}`
  return [
    head,
    ...text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => `    ${line}`),
  ]
}
