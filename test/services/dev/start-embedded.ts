/** Starts a server from the given module in the given directory, tells its pid, then waits to be ended. */
import type * as Module from "../../../services/dev/embedded-postgres.ts"

const [, , module = "", directory = ""] = process.argv
const { startEmbeddedPostgres } = (await import(module)) as typeof Module
const told: string[] = []
try {
  const { pid, owned, connection } = await startEmbeddedPostgres({
    directory,
    log: (line) => told.push(line),
  })
  console.log(JSON.stringify({ pid, owned, connection, told }))
  setInterval(() => undefined, 1_000)
} catch (error) {
  console.log(JSON.stringify({ error: (error as Error).message, told }))
}
