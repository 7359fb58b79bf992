// JSON-RPC 2.0 over HTTP, as nodes of chains serve it. Nodes are not trusted: every answer is bounded in time and size.

/** An answer of a node that says why it refuses a call. */
export class NodeRefusal extends Error {
  /** The node's JSON-RPC error code. */
  readonly code: number
  /** The member `data` of the node's error. */
  readonly data: unknown
  /** True if another node, called before, may have carried out the call: it gave no usable answer. */
  mayBeDone = false

  constructor(code: number, message: string, data: unknown) {
    super(message)
    this.name = "NodeRefusal"
    this.code = code
    this.data = data
  }
}

/** No node gave a usable answer. The message names hosts and never a whole URL, which may hold an access key. */
export class NodeUnavailable extends Error {
  /** The message without hosts, for callers. */
  readonly fault: string
  /** True if a node may have carried out the call; false: none has read it. */
  readonly mayBeDone: boolean

  constructor(message: string, fault = message, mayBeDone = true) {
    super(message)
    this.name = "NodeUnavailable"
    this.fault = fault
    this.mayBeDone = mayBeDone
  }
}

/** Bounds of one call. */
export type RpcLimits = { timeoutMs: number; maxBytes: number }

const LIMITS: RpcLimits = { timeoutMs: 8_000, maxBytes: 1024 * 1024 }

const TOO_MANY_REQUESTS = 429

/** Characters of a node's text that are kept. */
const MAX_TEXT = 500

type Envelope = {
  id?: unknown
  result?: unknown
  error?: { code?: unknown; message?: unknown; data?: unknown }
}

/** Calls the nodes of one chain: the first one, and the next only if the one before gave no usable answer. */
export class JsonRpc {
  readonly #urls: readonly string[]
  readonly #limits: RpcLimits
  #lastId = 0

  constructor(urls: readonly string[], limits: RpcLimits = LIMITS) {
    this.#urls = urls
    this.#limits = limits
  }

  /**
   * @returns the member `result`, which the caller checks
   * @throws {NodeRefusal} the first refusal of a node
   * @throws {NodeUnavailable} when no node answers usably
   */
  async call(method: string, params: readonly unknown[]): Promise<unknown> {
    const faults: { host: string; fault: string; mayBeDone: boolean }[] = []
    const mayBeDone = () => faults.some((fault) => fault.mayBeDone)
    for (const url of this.#urls) {
      try {
        return await this.#callOne(url, method, params)
      } catch (error) {
        if (error instanceof NodeRefusal) throw Object.assign(error, { mayBeDone: mayBeDone() })
        faults.push({ host: new URL(url).host, fault: faultText(error), mayBeDone: !isUnread(error) })
      }
    }
    throw new NodeUnavailable(
      faults.map(({ host, fault }) => `${host} ${fault}`).join("; "),
      [...new Set(faults.map(({ fault }) => `it ${fault}`))].join("; "),
      mayBeDone(),
    )
  }

  async #callOne(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
    const id = ++this.#lastId
    const reply = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id, method, params }),
      redirect: "error",
      signal: AbortSignal.timeout(this.#limits.timeoutMs),
    })
    const text = await readBounded(reply, this.#limits.maxBytes)
    // A node that limits its callers says so by an error of JSON-RPC, too; it judges no call by that.
    if (reply.status === TOO_MANY_REQUESTS) throw new Unread("answers HTTP 429")
    const envelope = readEnvelope(text)
    if (envelope === undefined) throw new Unusable(`answers HTTP ${reply.status} without JSON-RPC`)
    if (envelope.error) throw refusalOf(envelope.error)
    if (!reply.ok) throw new Unusable(`answers HTTP ${reply.status}`)
    if (envelope.id !== id) throw new Unusable("answers another call")
    if (envelope.result === undefined) throw new Unusable("answers without a result")
    return envelope.result
  }
}

/** A fault of one node's answer, which ends its sentence: `host answers HTTP 502`. */
class Unusable extends Error {}

/** The node has not looked at the call. */
class Unread extends Unusable {}

/** Faults before a connection exists. All others may come after the node has read the call. */
const NO_CONNECTION: readonly unknown[] = [
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
]

function isUnread(error: unknown): boolean {
  if (error instanceof Unread) return true
  const cause = error instanceof Error ? error.cause : undefined
  return NO_CONNECTION.includes((cause as { code?: unknown } | undefined)?.code)
}

function faultText(error: unknown): string {
  if (error instanceof Unusable) return error.message
  if (error instanceof Error && error.name === "TimeoutError") return "did not answer in time"
  return "cannot be reached"
}

function readEnvelope(text: string): Envelope | undefined {
  try {
    const json: unknown = JSON.parse(text)
    return typeof json === "object" && json !== null && !Array.isArray(json) ? json : undefined
  } catch {
    return undefined
  }
}

function refusalOf({ code, message, data }: NonNullable<Envelope["error"]>): NodeRefusal {
  return new NodeRefusal(typeof code === "number" ? code : 0, nodeText(message), data)
}

/** Text of a node for people: one line of bounded length. */
export function nodeText(text: unknown): string {
  const line = typeof text === "string" ? text.replace(/[\s\p{Cc}\p{Cf}]+/gu, " ").trim() : ""
  return line === "" ? "the node gave no reason" : line.slice(0, MAX_TEXT)
}

async function readBounded(reply: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of reply.body ?? []) {
    length += chunk.byteLength
    if (length > maxBytes) throw new Unusable(`answers more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
