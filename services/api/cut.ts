// Cuts a database that is newer than the ledger to the ledger's state: `countersign-node db cut`.
import "../common/refuse-debugger.ts"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { REFUSED, StartError, startFaultOf } from "../../signer/core/settings/start-fault.ts"
import { dataDirectoryOf } from "../../signer/core/settings/settings.ts"
import { createLogger } from "../common/logger.ts"
import { readOrExit } from "../common/settings.ts"
import { closeDatabase, connectDatabase, type Database, MIGRATIONS_POOL } from "../database/database.ts"
import { databaseFaultOf } from "../database/start-fault.ts"
import { type Config, readApiConfig } from "./config.ts"
import { type Cut, cutDatabase } from "./cut/cut-database.ts"
import { findNewer, readLedgerStates, requireGivenUp } from "./cut/newer-organizations.ts"
import { CutReport } from "./cut/report.ts"
import { migrateFirst } from "./migrate-first.ts"
import { SignerClient } from "./signer/client.ts"
import { DeploymentCheck } from "./signer/deployment-check.ts"
import { openEndpoint } from "./signer/grpc-client.ts"
import { connectSigner } from "./signer/transport.ts"
import { connectedPrograms } from "./store/newer-state.ts"

const USAGE = `Usage: countersign-node db cut [--report FILE] [--dry-run] [--json]

  Brings a database that is newer than the signer's ledger to the ledger's state, after both were restored. The signer runs;
  API, worker and auth proxy do not. All that the database loses is written to the report first.

      --report FILE   the report, which must not exist (default: cut-TIME.jsonl in COUNTERSIGN_DATA_DIR)
      --dry-run       print how many organizations are newer, and change nothing`

const OPTIONS = {
  report: { type: "string" },
  "dry-run": { type: "boolean" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const

const USAGE_FAULT = 2

process.umask(0o077)
process.exitCode = await main(process.argv.slice(2))

async function main(words: readonly string[]): Promise<number> {
  const given = readWords(words)
  if (given === undefined) return USAGE_FAULT
  if (given.help) {
    print(USAGE)
    return 0
  }
  const config = readOrExit(readApiConfig)
  try {
    await run(config, given)
    return 0
  } catch (error) {
    const fault = databaseFaultOf(error, config.database) ?? startFaultOf(error)
    complain(fault?.sentence ?? (error as Error).message)
    return fault?.status ?? 1
  }
}

type Given = { report?: string | undefined; "dry-run"?: boolean; json?: boolean; help?: boolean }

function readWords(words: readonly string[]): Given | undefined {
  try {
    return parseArgs({ args: [...words], options: OPTIONS }).values
  } catch (error) {
    complain(`${(error as Error).message}\n\n${USAGE}`)
    return undefined
  }
}

async function run(config: Config, given: Given): Promise<void> {
  const log = createLogger("cut", config.logLevel)
  const signer = new SignerClient(connectSigner(openEndpoint("signer", config.signer, log)))
  const sql = connectDatabase(config.database, {
    ...MIGRATIONS_POOL,
    applicationName: "countersign-cut",
    max: 4,
  })
  try {
    await requireAlone(sql)
    await migrateFirst(config, log)
    await new DeploymentCheck({ sql, signer }).run()
    const ledger = await readLedgerStates(signer)
    const newer = await findNewer(sql, ledger)
    if (given["dry-run"] || newer.length === 0) return printNewer(newer.length, given)
    await requireGivenUp(sql, newer, ledger)
    const nowMs = Date.now()
    const path = resolve(given.report ?? join(dataDirectoryOf(process.env), `cut-${nowMs}.jsonl`))
    const givenUpVersion = String(ledger.givenUpVersion)
    const report = await CutReport.create(path, { cutAt: new Date(nowMs).toISOString(), givenUpVersion })
    try {
      printCut(await cutDatabase(newer, ledger, { sql, signer, log, report, nowMs }), path, given)
    } finally {
      await report.close()
    }
  } finally {
    signer.close()
    await closeDatabase(sql)
  }
}

/** A process of the deployment would store newer state again, or show it to the signer. @throws {StartError} refused */
async function requireAlone(sql: Database): Promise<void> {
  const programs = await connectedPrograms(sql)
  if (programs.length === 0) return
  throw new StartError(
    REFUSED,
    `${programs.join(", ")} use the database: stop API, worker and auth proxy first`,
  )
}

function printNewer(organizations: number, { json }: Given): void {
  const text =
    organizations === 0
      ? "the database is not newer than the ledger: nothing to cut"
      : `${organizations} organizations would be cut`
  print(json ? JSON.stringify({ organizations }) : text)
}

function printCut(cut: Cut, report: string, { json }: Given): void {
  const organizations = `${cut.organizationsCut} organizations cut to the ledger, ${cut.organizationsRemoved} removed`
  const activities = `${cut.activitiesRemoved} activities removed, ${cut.activitiesPendingAgain} pending again, ${cut.activitiesKept} kept`
  print(json ? JSON.stringify({ ...cut, report }) : `${organizations}; ${activities}: ${report}`)
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

function complain(sentence: string): void {
  const error = JSON.stringify({ error: { message: sentence } })
  process.stderr.write(process.argv.includes("--json") ? `${error}\n` : `countersign-node: ${sentence}\n`)
}
