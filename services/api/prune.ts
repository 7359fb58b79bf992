// Exports old activities to files and removes them: `countersign-node db prune`.
import "../common/refuse-debugger.ts"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { REFUSED, StartError, startFaultOf } from "../../signer/core/settings/start-fault.ts"
import { dataDirectoryOf } from "../../signer/core/settings/settings.ts"
import { createLogger } from "../common/logger.ts"
import { readOrExit } from "../common/settings.ts"
import { closeDatabase, connectDatabase, type Database } from "../database/database.ts"
import { databaseFaultOf } from "../database/start-fault.ts"
import { withService } from "./command-service.ts"
import { type Config, readApiConfig } from "./config.ts"
import { ExportFolder } from "./exports/export-files.ts"
import { forecast, prune } from "./exports/prune.ts"
import { planMigrations } from "./store/migrate.ts"

const USAGE = `Usage: countersign-node db prune --older-than DAYSd [--out DIR] [--dry-run] [--json]

  Exports activities that have been final for so long to files, and removes them from the database, beside running
  processes. What was interrupted is continued by the next run. countersign verify export reads the files.

      --older-than 90d  age in days, at least 1d
      --out DIR         folder of the files (default: exports in COUNTERSIGN_DATA_DIR)
      --dry-run         print how many activities there are, and change nothing`

const OPTIONS = {
  "older-than": { type: "string" },
  out: { type: "string" },
  "dry-run": { type: "boolean" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const

const DAY_MS = 86_400_000
const USAGE_FAULT = 2

process.umask(0o077)
process.exitCode = await main(process.argv.slice(2))

async function main(words: readonly string[]): Promise<number> {
  const given = readWords(words)
  if (given === undefined) return USAGE_FAULT
  if (given === "help") {
    print(USAGE)
    return 0
  }
  const config = readOrExit(readApiConfig)
  try {
    if (given.isDry) return await dryRun(config, given)
    // The service first takes what the ledger still keeps: an outcome that is stored after its activity was removed would
    // make the activity again.
    await withService(config, createLogger("prune", config.logLevel), async (service, sql) => {
      await service.heal(false)
      await run(sql, given)
    })
    return 0
  } catch (error) {
    const fault = databaseFaultOf(error, config.database) ?? startFaultOf(error)
    complain(fault?.sentence ?? (error as Error).message)
    return fault?.status ?? 1
  }
}

type Given = { days: number; out: string | undefined; isDry: boolean; isJson: boolean }

function readWords(words: readonly string[]): Given | "help" | undefined {
  try {
    const { values } = parseArgs({ args: [...words], options: OPTIONS })
    if (values.help) return "help"
    const days = Number(/^([1-9][0-9]{0,4})d$/.exec(values["older-than"] ?? "")?.[1])
    if (!(days >= 1)) throw new TypeError("--older-than takes a number of days, at least 1: --older-than 90d")
    return { days, out: values.out, isDry: values["dry-run"] === true, isJson: values.json === true }
  } catch (error) {
    complain(`${(error as Error).message}\n\n${USAGE}`)
    return undefined
  }
}

async function run(sql: Database, given: Given): Promise<void> {
  const { directory, beforeMs } = placeOf(given)
  const onFile = (file: { file: number; activities: number }) =>
    given.isJson ? undefined : print(`file ${file.file}: ${file.activities} activities`)
  const pruned = await prune({ sql, folder: new ExportFolder(directory), beforeMs, onFile })
  const { files, exported, removed, bootProofs } = pruned
  const sums = `${exported} activities exported in ${files} files, ${removed} removed, ${bootProofs} boot proofs removed`
  print(given.isJson ? JSON.stringify({ ...pruned, directory }) : `${sums}: ${directory}`)
}

/** Asks the database alone, and changes nothing. */
async function dryRun({ database }: Config, given: Given): Promise<number> {
  const sql = connectDatabase(database, { max: 1 })
  try {
    const [missing] = (await planMigrations(sql)).filter(({ state }) => state !== "applied")
    if (missing)
      throw new StartError(
        REFUSED,
        `the database is not of this release (${missing.name}): start its API first`,
      )
    const { directory, beforeMs } = placeOf(given)
    const { activities, characters } = await forecast({ sql, beforeMs })
    const text = `${activities} activities, about ${Math.ceil(characters / 2 ** 20)} MiB of text, would be exported to ${directory}`
    print(given.isJson ? JSON.stringify({ activities, characters, directory }) : text)
    return 0
  } finally {
    await closeDatabase(sql)
  }
}

function placeOf({ days, out }: Given): { directory: string; beforeMs: number } {
  return {
    directory: resolve(out ?? join(dataDirectoryOf(process.env), "exports")),
    beforeMs: Date.now() - days * DAY_MS,
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

function complain(sentence: string): void {
  const error = JSON.stringify({ error: { message: sentence } })
  process.stderr.write(process.argv.includes("--json") ? `${error}\n` : `countersign-node: ${sentence}\n`)
}
