import { join } from "node:path"
import { devInbox } from "../../services/dev/inbox.ts"

/** The newest code in the development inbox, by the command that people read it with. */
export async function newestCode(directory: string, contact: string): Promise<string> {
  const lines: string[] = []
  const terminal = { print: (line: string) => void lines.push(line), log: () => undefined }
  await devInbox(join(directory, "fetcher", "outbox.jsonl"), { json: true }, terminal)
  const { to, text } = JSON.parse(lines[0]!) as { to: string; text: string }
  if (to !== contact) throw new Error(`the newest message went to ${to}`)
  return /\b[0-9A-Z]{6}\b/.exec(text)![0]
}
