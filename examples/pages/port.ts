import { once } from "node:events"
import { createServer } from "node:net"
import { fail } from "../development-values.ts"

/** A port that an environment variable names. Ends the example with a sentence if it is taken: the page is built after this. */
export async function portOf(name: string, otherwise: number): Promise<number> {
  const given = process.env[name] ?? String(otherwise)
  const port = Number(given)
  if (!Number.isInteger(port) || port <= 0 || port >= 65_536) fail(`${name}: ${given} is no port`)
  const server = createServer().listen(port, "localhost")
  await once(server, "listening").catch(explainPort(name))
  server.close()
  await once(server, "close")
  return port
}

/** Handles the rejection of a listener: ends the example with a sentence if its port is taken. */
export function explainPort(name: string): (error: NodeJS.ErrnoException & { port?: number }) => never {
  return (error) => {
    if (error.code !== "EADDRINUSE") throw error
    const { port = 0 } = error
    fail(
      `port ${port} is taken; with another: ${name}=${port + 10} npm run ${process.env["npm_lifecycle_event"]}`,
    )
  }
}
