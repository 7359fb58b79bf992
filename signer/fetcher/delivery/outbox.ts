import { appendFileSync, chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import type { Channel, Message } from "./delivery.ts"

/**
 * Writes messages to a file of mode 0600 in place of sending them: one JSON object a line, the newest last. For development: a
 * reader of the file can log in as anybody.
 */
export function outbox(file: string, nowMs: () => number): Channel<Message> {
  return {
    async send(message) {
      if (!existsSync(file)) {
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
        writeFileSync(file, "", { mode: 0o600 })
      }
      chmodSync(file, 0o600)
      appendFileSync(file, `${JSON.stringify({ sentAt: new Date(nowMs()).toISOString(), ...message })}\n`)
    },
  }
}
