import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

/** A receiver on the loopback. It counts the notifications that it has answered with success. */
export type Receiver = {
  url: string
  /** Event ids, each with the number of times it came. */
  readonly received: ReadonlyMap<string, number>
  /** While it is down each connection is reset. */
  setDown(isDown: boolean): void
  /** Time before each answer. */
  setDelay(delayMs: number): void
  stop(): void
}

export async function openReceiver(): Promise<Receiver> {
  const received = new Map<string, number>()
  let down = false
  let delayMs = 0
  const server = createServer((request, response) => {
    if (down) {
      request.socket.destroy()
      return
    }
    request.resume().once("end", () => {
      const id = String(request.headers["x-turnkey-event-id"])
      received.set(id, (received.get(id) ?? 0) + 1)
      if (delayMs === 0) response.writeHead(204).end()
      else setTimeout(() => response.writeHead(204).end(), delayMs)
    })
  }).listen(0, "localhost")
  await once(server, "listening")
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/`,
    received,
    setDown(isDown) {
      down = isDown
    },
    setDelay(delay) {
      delayMs = delay
    },
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}
