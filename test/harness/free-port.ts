import { once } from "node:events"
import { createServer } from "node:net"

/** A TCP port of this host that no process used a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "localhost")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  if (address === null || typeof address === "string") throw new Error("no port")
  return address.port
}
