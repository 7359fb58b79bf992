import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { closeDatabase, connectDatabase } from "../services/database/database.ts"
import { migrate } from "../services/api/store/migrate.ts"
import { startChild } from "./child.ts"
import type { Target } from "./load/target.ts"
import type { Switches } from "./stubs/settings.ts"
import { analyze, type DatabaseServer, startEmbedded } from "./system/database-server.ts"
import { strangerFor } from "./system/organization.ts"
import { freePort } from "./system/port.ts"

/** Something that answers signing requests. */
export type Place = {
  target: Target
  /** Processes whose usage is reported; `postgres` includes its children, `peer` is another service. */
  processes: Partial<Record<"api" | "signer" | "postgres" | "peer", number>>
  /** Analyzes the database's tables: a new database plans as if they were empty for its first minute. */
  settle(): Promise<void>
  /** In reverse order of the start. */
  stop(): Promise<void>
}

const ALL_ON: Switches = { keys: "cached", write: "batch", call: "stream" }

/** The bare pipelines of G14, by the name of their place. */
export const pipelines: Readonly<Record<string, Switches>> = {
  pipeline: ALL_ON,
  "pipeline without key cache": { ...ALL_ON, keys: "parsed" },
  "pipeline without batching": { ...ALL_ON, write: "transaction" },
  "pipeline without stream": { ...ALL_ON, call: "unary" },
}

/** Starts a floor, on a server like the service's own and on the same tables. */
export async function startFloor(name: string, directory: string): Promise<Place> {
  await mkdir(directory, { mode: 0o755 })
  const database = await startEmbedded(join(directory, "postgres"))
  const started: { stop(): Promise<void> }[] = [database]
  const stop = async () => {
    for (const part of started.toReversed()) await part.stop()
  }
  const start = async (file: string, settings: object): Promise<number> => {
    const child = await startChild(new URL(`stubs/${file}`, import.meta.url), settings)
    started.push(child)
    return child.pid
  }
  try {
    await prepare(database)
    const port = await freePort()
    const common = { port, databaseUrl: database.url }
    const processes: Place["processes"] = database.pid === undefined ? {} : { postgres: database.pid }
    const switches = pipelines[name]
    if (switches) {
      const signerSocket = join(directory, "signer.sock")
      processes.signer = await start("pipeline-signer.ts", { ...switches, signerSocket })
      processes.api = await start("pipeline-api.ts", { ...common, ...switches, signerSocket })
    } else {
      processes.api = await start(`${name}.ts`, common)
    }
    return { target: strangerFor(port), processes, settle: () => analyze(database.url), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function prepare({ url }: DatabaseServer): Promise<void> {
  const sql = connectDatabase({ url }, { max: 1, statementTimeoutMs: 0 })
  try {
    await migrate(sql)
  } finally {
    await closeDatabase(sql)
  }
}
