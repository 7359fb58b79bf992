// Exports old activities to files and removes them: `countersign-node db prune`.
import "../common/refuse-debugger.ts"
import { join, resolve } from "node:path"
import { UsageFault } from "../../signer/core/command-line.ts"
import { counted } from "../../signer/core/counted.ts"
import { REFUSED, StartError } from "../../signer/core/settings/start-fault.ts"
import { dataDirectoryOf } from "../../signer/core/settings/settings.ts"
import { createLogger } from "../common/logger.ts"
import { closeDatabase, connectDatabase, type Database } from "../database/database.ts"
import { withService } from "./command-service.ts"
import type { ApiSettings } from "./config.ts"
import { ExportFolder } from "./exports/export-files.ts"
import { forecast, prune } from "./exports/prune.ts"
import { type Output, requireNoOperand, runOperatorCommand } from "./operator-command.ts"
import { planMigrations } from "./store/migrate.ts"

const USAGE = `Usage: countersign-node db prune --older-than DAYSd [--out DIR] [--dry-run] [--json]

  Exports activities that have been final for so long to files, and removes them from the database, beside running
  processes. What was interrupted is continued by the next run. countersign verify export reads the files.

      --older-than 90d  age in days, at least 1d
      --out DIR         folder of the files (default: exports in COUNTERSIGN_DATA_DIR)
      --dry-run         print how many activities there are, and change nothing

Example:
  countersign-node db prune --older-than 90d --out /var/lib/countersign/exports`

const DAY_MS = 86_400_000

type Given = { days: number; directory: string; isDry: boolean }

await runOperatorCommand({
  name: "db prune",
  usage: USAGE,
  options: { "older-than": { type: "string" }, out: { type: "string" } },
  read(values, positionals): Given {
    requireNoOperand(positionals, "db prune")
    const days = Number(/^([1-9][0-9]{0,4})d$/.exec(values["older-than"] ?? "")?.[1])
    if (!(days >= 1))
      throw new UsageFault("--older-than takes a number of days, at least 1: --older-than 90d")
    const directory = resolve(values.out ?? join(dataDirectoryOf(process.env), "exports"))
    return { days, directory, isDry: values["dry-run"] === true }
  },
  async run(config, given, output) {
    if (given.isDry) return dryRun(config, given, output)
    // The service first takes what the ledger still keeps: an outcome that is stored after its activity was removed would
    // make the activity again.
    await withService(config, createLogger("prune", config.logLevel), async (service, sql) => {
      await service.heal(false)
      await run(sql, given, output)
    })
  },
})

async function run(sql: Database, { days, directory }: Given, output: Output): Promise<void> {
  const onFile = ({ file, activities }: { file: number; activities: number }) =>
    output.line(`file ${file}: ${counted(activities, "activity", "activities")}`)
  const folder = new ExportFolder(directory)
  const pruned = await prune({ sql, folder, beforeMs: momentBefore(days), onFile })
  const { files, exported, removed, bootProofs } = pruned
  const sums = `${counted(exported, "activity", "activities")} exported in ${counted(files, "file")}, ${removed} removed, ${counted(bootProofs, "boot proof")} removed`
  output.result(`${sums}: ${directory}`, { ...pruned, directory })
}

/** Asks the database alone, and changes nothing. */
async function dryRun({ database }: ApiSettings, { days, directory }: Given, output: Output): Promise<void> {
  const sql = connectDatabase(database, { max: 1 })
  try {
    const [missing] = (await planMigrations(sql)).filter(({ state }) => state !== "applied")
    if (missing)
      throw new StartError(
        REFUSED,
        `the database is not of this release (${missing.name}): start its API first`,
      )
    const { activities, characters } = await forecast({ sql, beforeMs: momentBefore(days) })
    const text = `${counted(activities, "activity", "activities")}, about ${Math.ceil(characters / 2 ** 20)} MiB of text, would be exported to ${directory}`
    output.result(text, { activities, characters, directory })
  } finally {
    await closeDatabase(sql)
  }
}

function momentBefore(days: number): number {
  return Date.now() - days * DAY_MS
}
