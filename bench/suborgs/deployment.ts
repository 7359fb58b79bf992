import { mkdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { closeDatabase, connectDatabase, type Database } from "../../services/database/database.ts"
import type { Target } from "../load/target.ts"
import { startEmbedded } from "../system/database-server.ts"
import { startSystem } from "../system/system.ts"
import { StampingClient } from "./caller.ts"
import { load } from "./loader.ts"

/** A running service with a parent of so many sub-organizations. */
export type RunningDeployment = {
  count: number
  parentId: string
  companyKey: string
  /** Stamps with the company's key: root of the parent, and root of every sub-organization. */
  caller: StampingClient
  /** The parent, with the company's key. */
  target: Target
  sql: Database
  processes: { api: number; signer: number; postgres: number | undefined }
  databaseVersion: string
  databaseUrl: string
  /** Time to write the sub-organizations. */
  loadSeconds: number
  /** Time from the start until the signer had verified its index. */
  indexSeconds: number
  stop(): Promise<void>
}

/** Fills a deployment of its own and starts it. */
export async function deploy(
  directory: string,
  count: number,
  say: (line: string) => void,
): Promise<RunningDeployment> {
  const stops: (() => Promise<void>)[] = []
  const stop = async () => {
    for (const each of stops.splice(0).toReversed()) await each()
  }
  await mkdir(directory, { mode: 0o755 })
  try {
    const database = await startEmbedded(join(directory, "postgres"))
    stops.push(() => database.stop())
    const system = join(directory, "system")
    const { parentId, company, seconds } = await load({
      directory: system,
      databaseUrl: database.url,
      count,
      say,
    })
    const running = await startSystem({
      directory: system,
      database,
      wire: "unix",
      target: { organizationId: parentId, signWith: "", ...company },
    })
    stops.push(() => running.stop())
    const indexSeconds = await indexVerified(join(system, "signer.log"))
    const caller = new StampingClient(running.target, company)
    const sql = connectDatabase({ url: database.url }, { max: 1, statementTimeoutMs: 0 })
    stops.push(async () => {
      caller.close()
      await closeDatabase(sql)
    })
    const processes = { api: running.api, signer: running.signer, postgres: running.database }
    return {
      count,
      parentId,
      companyKey: company.publicKeyHex,
      caller,
      target: running.target,
      sql,
      processes,
      databaseVersion: database.version,
      databaseUrl: database.url,
      loadSeconds: seconds,
      indexSeconds,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

const POLL_MS = 250
const PATIENCE_MS = 3_600_000

/** Waits for the signer's line about its index: creation before it is another thing. Returns the seconds. */
async function indexVerified(logFile: string): Promise<number> {
  const startedAt = performance.now()
  while (!(await readFile(logFile, "utf8")).includes("verified the ledger's index")) {
    if (performance.now() - startedAt > PATIENCE_MS) throw new Error("the signer does not verify its index")
    await pause(POLL_MS)
  }
  return (performance.now() - startedAt) / 1000
}
