// Clients that send one request after the other over kept connections, and note what became of each.
import { Agent, type IncomingMessage, request } from "node:http"
import { text } from "node:stream/consumers"
import { setTimeout as pause } from "node:timers/promises"

/** A request to send: made anew for each turn of the loop. */
type Prepared = { path: string; body: string; headers: Record<string, string> }

/** `refused`: the port was closed. `fault`: any other error of the connection, or an answer that is not whole. */
export type Seen = { status: number; retryAfter: string | undefined } | { refused: true } | { fault: string }

const REFUSED_PAUSE_MS = 10

export class LoopingClients {
  readonly seen: Seen[] = []
  readonly #running: Promise<void>[]
  #isOver = false

  constructor(count: number, url: string, prepare: () => Prepared) {
    this.#running = Array.from({ length: count }, () => this.#loop(url, prepare))
  }

  /** Ends the loops after their present request. */
  async stop(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#running)
  }

  /** Number of answers with a status so far. */
  answered(status: number): number {
    return this.seen.filter((each) => "status" in each && each.status === status).length
  }

  get faults(): string[] {
    return this.seen.flatMap((each) => ("fault" in each ? each.fault : []))
  }

  async #loop(url: string, prepare: () => Prepared): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    while (!this.#isOver) {
      const seen = await send(agent, url, prepare())
      this.seen.push(seen)
      if ("refused" in seen) await pause(REFUSED_PAUSE_MS)
    }
    agent.destroy()
  }
}

async function send(agent: Agent, url: string, { path, body, headers }: Prepared): Promise<Seen> {
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = request(`${url}${path}`, { agent, method: "POST", headers }, resolve)
      sent.on("error", reject)
      sent.end(body)
    })
    JSON.parse(await text(response))
    return { status: response.statusCode ?? 0, retryAfter: response.headers["retry-after"] }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return code === "ECONNREFUSED" ? { refused: true } : { fault: `${code} ${message}` }
  }
}
