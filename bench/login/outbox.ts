import { closeSync, openSync, readSync } from "node:fs"

/** Reads the codes of messages that a fetcher has written to its file. */
export class Outbox {
  readonly #file: string
  readonly #codes = new Map<string, string>()
  #offset = 0
  /** Bytes of a line whose end has not been read. */
  #rest = ""

  constructor(file: string) {
    this.#file = file
  }

  /** The newest code of a contact. A message is in the file before the request for it is answered. */
  codeOf(contact: string): string {
    this.#read()
    const code = this.#codes.get(contact)
    if (code === undefined) throw new Error(`no message to ${contact}`)
    return code
  }

  #read(): void {
    const file = openSync(this.#file, "r")
    try {
      const chunk = Buffer.alloc(64 * 1024)
      for (;;) {
        const length = readSync(file, chunk, 0, chunk.length, this.#offset)
        if (length === 0) return
        this.#offset += length
        this.#take(chunk.toString("latin1", 0, length))
      }
    } finally {
      closeSync(file)
    }
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split("\n")
    this.#rest = lines.pop() ?? ""
    for (const line of lines) {
      const message = JSON.parse(line) as { to: string; text: string }
      const [code] = /\b[0-9A-Z]{6,9}\b/.exec(message.text) ?? []
      if (code !== undefined) this.#codes.set(message.to, code)
    }
  }
}
