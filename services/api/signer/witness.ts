import { hash } from "node:crypto"

/** A reply to add-checkpoint (C2SP tlog-witness). */
export type WitnessAnswer = { status: number; text: string }

/** A witness as the courier asks it. */
export type LogWitness = {
  /** Its URL, for people. */
  readonly name: string
  addCheckpoint(body: Uint8Array): Promise<WitnessAnswer>
  /** The latest head that it cosigned, as the log signed it; undefined: it does not say. */
  latestHead(origin: string): Promise<Uint8Array | undefined>
}

/** A witness that does not answer holds up no other one. */
const TIMEOUT_MS = 4_000

/** Longest reply that is read, bytes. */
const MAX_REPLY_BYTES = 16 * 1024

/** A witness over HTTP. @param url its submission prefix */
export function httpWitness(url: URL): LogWitness {
  const base = url.href.endsWith("/") ? url.href : `${url.href}/`
  const ask = async (path: string, init: RequestInit): Promise<WitnessAnswer> => {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const reply = await fetch(base + path, { ...init, redirect: "error", signal })
    return { status: reply.status, text: await readBounded(reply) }
  }
  return {
    name: base,
    addCheckpoint: (body) => ask("add-checkpoint", { method: "POST", body: Buffer.from(body) }),
    latestHead: async (origin) => {
      // Not in C2SP: countersign-witness answers it, others answer 404.
      const { status, text } = await ask(`head/${hash("sha256", origin)}`, {})
      return status === 200 ? Buffer.from(text) : undefined
    },
  }
}

async function readBounded(reply: Response): Promise<string> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of reply.body ?? []) {
    length += part.length
    if (length > MAX_REPLY_BYTES) throw new Error(`its reply has more than ${MAX_REPLY_BYTES} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}
