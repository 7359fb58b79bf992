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
  stop(): void
}

export async function openReceiver(): Promise<Receiver> {
  const received = new Map<string, number>()
  let down = false
  const server = createServer((request, response) => {
    if (down) {
      request.socket.destroy()
      return
    }
    request.resume().once("end", () => {
      const id = String(request.headers["x-turnkey-event-id"])
      received.set(id, (received.get(id) ?? 0) + 1)
      response.writeHead(204).end()
    })
  }).listen(0, "localhost")
  await once(server, "listening")
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/`,
    received,
    setDown(isDown) {
      down = isDown
    },
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}
