// Cuts a database that is newer than the ledger to the ledger's state: `countersign-node db cut`.
import "../common/refuse-debugger.ts"
import { join, resolve } from "node:path"
import { counted } from "../../signer/core/counted.ts"
import { REFUSED, StartError } from "../../signer/core/settings/start-fault.ts"
import { dataDirectoryOf } from "../../signer/core/settings/settings.ts"
import { createLogger } from "../common/logger.ts"
import { closeDatabase, connectDatabase, type Database, MIGRATIONS_POOL } from "../database/database.ts"
import type { ApiSettings } from "./config.ts"
import { type Cut, cutDatabase } from "./cut/cut-database.ts"
import { findNewer, readLedgerStates, requireGivenUp } from "./cut/newer-organizations.ts"
import { CutReport } from "./cut/report.ts"
import { migrateFirst } from "./migrate-first.ts"
import { type Output, requireNoOperand, runOperatorCommand } from "./operator-command.ts"
import { SignerClient } from "./signer/client.ts"
import { DeploymentCheck } from "./signer/deployment-check.ts"
import { openEndpoint } from "./signer/grpc-client.ts"
import { connectSigner } from "./signer/transport.ts"
import { connectedPrograms } from "./store/newer-state.ts"

const USAGE = `Usage: countersign-node db cut [--report FILE] [--dry-run] [--json]

  Brings a database that is newer than the signer's ledger to the ledger's state, after both were restored. The signer runs;
  API, worker and auth proxy do not. All that the database loses is written to the report first.

      --report FILE   the report, which must not exist (default: cut-TIME.jsonl in COUNTERSIGN_DATA_DIR)
      --dry-run       print how many organizations are newer, and change nothing

Example:
  countersign-node db cut --report cut.jsonl`

type Given = { report: string | undefined; isDry: boolean }

await runOperatorCommand({
  name: "db cut",
  usage: USAGE,
  options: { report: { type: "string" } },
  read(values, positionals): Given {
    requireNoOperand(positionals, "db cut")
    return { report: values.report, isDry: values["dry-run"] === true }
  },
  run,
})

async function run(config: ApiSettings, given: Given, output: Output): Promise<void> {
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
    if (given.isDry || newer.length === 0)
      return output.result(countLine(newer.length), { organizations: newer.length })
    await requireGivenUp(sql, newer, ledger)
    const nowMs = Date.now()
    const path = resolve(given.report ?? join(dataDirectoryOf(process.env), `cut-${nowMs}.jsonl`))
    const givenUpVersion = String(ledger.givenUpVersion)
    const report = await CutReport.create(path, { cutAt: new Date(nowMs).toISOString(), givenUpVersion })
    try {
      const cut = await cutDatabase(newer, ledger, { sql, signer, log, report, nowMs })
      output.result(`${lineOf(cut)}: ${path}`, { ...cut, report: path })
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

function countLine(organizations: number): string {
  return organizations === 0
    ? "the database is not newer than the ledger: nothing to cut"
    : `${counted(organizations, "organization")} would be cut`
}

function lineOf(cut: Cut): string {
  const organizations = `${counted(cut.organizationsCut, "organization")} cut to the ledger, ${cut.organizationsRemoved} removed`
  const activities = `${counted(cut.activitiesRemoved, "activity", "activities")} removed, ${cut.activitiesPendingAgain} pending again, ${cut.activitiesKept} kept`
  return `${organizations}; ${activities}`
}
