import { createHash } from "node:crypto"
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { z } from "zod"
import { canonicalJson } from "../canonical-json.ts"

/** Bodies are accepted for an hour; a younger one is sent again as it is, and is the same activity. */
const MAX_AGE_MS = 50 * 60_000

const content = z.record(z.string(), z.strictObject({ body: z.string(), sentAtMs: z.number() }))

/**
 * Bodies that were sent and whose outcome is not known to be final, in a file. A body is written before it is sent: a
 * command that was killed sends the same bytes again, which are the same activity.
 */
export class SentBodies {
  readonly #file: string
  readonly #entries: Map<string, { body: string; sentAtMs: number }>

  private constructor(file: string, entries: Map<string, { body: string; sentAtMs: number }>) {
    this.#file = file
    this.#entries = entries
  }

  static async open(dataDirectory: string, organizationId: string): Promise<SentBodies> {
    const file = join(dataDirectory, "config-apply", `${organizationId}.json`)
    const text = await readFile(file, "utf8").catch(() => "{}")
    const read = content.safeParse(readJson(text))
    const entries = Object.entries(read.data ?? {}).filter(
      ([, { sentAtMs }]) => Date.now() - sentAtMs < MAX_AGE_MS,
    )
    return new SentBodies(file, new Map(entries))
  }

  /** The body of an activity with these parameters that this key has stamped. */
  find(key: string): string | undefined {
    return this.#entries.get(key)?.body
  }

  async add(key: string, body: string): Promise<void> {
    this.#entries.set(key, { body, sentAtMs: Date.now() })
    await this.#write()
  }

  async remove(key: string): Promise<void> {
    if (this.#entries.delete(key)) await this.#write()
  }

  async #write(): Promise<void> {
    if (this.#entries.size === 0) {
      await rm(this.#file, { force: true })
      return
    }
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 })
    await writeFile(`${this.#file}.new`, JSON.stringify(Object.fromEntries(this.#entries)), { mode: 0o600 })
    await rename(`${this.#file}.new`, this.#file)
  }
}

/** Names an activity by its content and the key that stamps it. */
export function keyOf(type: string, parameters: object, publicKey: string): string {
  return createHash("sha256")
    .update(canonicalJson([type, parameters, publicKey]))
    .digest("hex")
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
