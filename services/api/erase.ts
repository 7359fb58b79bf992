// Erases a deleted sub-organization from the database and from exported files: `countersign-node db erase`.
import "../common/refuse-debugger.ts"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { startFaultOf } from "../../signer/core/settings/start-fault.ts"
import { dataDirectoryOf } from "../../signer/core/settings/settings.ts"
import { isUuid } from "../../signer/core/uuid.ts"
import { createLogger } from "../common/logger.ts"
import { readOrExit } from "../common/settings.ts"
import { databaseFaultOf } from "../database/start-fault.ts"
import { withService } from "./command-service.ts"
import { readApiConfig } from "./config.ts"
import { type Erased, eraseOrganization } from "./exports/erase-organization.ts"
import { ExportFolder } from "./exports/export-files.ts"

const USAGE = `Usage: countersign-node db erase ID [--text TEXT]... [--exports DIR] [--dry-run] [--json]

  Erases a deleted sub-organization: its rows, the activities of its parent that name its id or one of the texts, their
  webhook deliveries, and their lines in exported files. Run countersign-signer erase ID first (docs/OPERATIONS.md, Erasure).

      --text TEXT    a user's name, address or telephone number, as the parent's activities have it; can be repeated
      --exports DIR  folder of exported files (default: exports in COUNTERSIGN_DATA_DIR)
      --dry-run      print how many activities there are, and change nothing`

const OPTIONS = {
  text: { type: "string", multiple: true },
  exports: { type: "string" },
  "dry-run": { type: "boolean" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const

const USAGE_FAULT = 2

/** Shortest text, characters. Shorter ones also occur in activities that do not concern the person. */
const MIN_TEXT = 5

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
  const { isJson, directory, ...erasure } = given
  try {
    // The service first stores the document without the name, and the outcomes that the ledger still keeps. An outcome that is
    // stored later would store its activity again.
    await withService(config, createLogger("erase", config.logLevel), async (service, sql) => {
      await service.heal(false)
      const folder = new ExportFolder(directory)
      const erased = await eraseOrganization({ sql, folder, ...erasure, nowMs: Date.now() })
      print(isJson ? JSON.stringify({ ...erased, directory }) : lineOf(erased, erasure.isDry))
    })
    return 0
  } catch (error) {
    const fault = databaseFaultOf(error, config.database) ?? startFaultOf(error)
    complain(fault?.sentence ?? (error as Error).message)
    return fault?.status ?? 1
  }
}

function lineOf({ ownActivities, parentActivities, exportedLines }: Erased, isDry: boolean): string {
  const activities = `${ownActivities} activities of the organization and ${parentActivities} of its parent`
  return isDry
    ? `${activities} would be erased`
    : `${activities} erased, and ${exportedLines} lines of exported files`
}

type Given = { organizationId: string; words: string[]; directory: string; isDry: boolean; isJson: boolean }

function readWords(words: readonly string[]): Given | "help" | undefined {
  try {
    const { values, positionals } = parseArgs({ args: [...words], options: OPTIONS, allowPositionals: true })
    if (values.help) return "help"
    const [organizationId = "", ...others] = positionals
    if (!isUuid(organizationId) || others.length > 0)
      throw new TypeError("db erase takes the id of one deleted sub-organization")
    const { text = [] } = values
    const short = text.find((one) => one.length < MIN_TEXT)
    if (short !== undefined)
      throw new TypeError(`--text ${JSON.stringify(short)}: too short; use at least ${MIN_TEXT} characters`)
    return {
      organizationId,
      words: text,
      directory: resolve(values.exports ?? join(dataDirectoryOf(process.env), "exports")),
      isDry: values["dry-run"] === true,
      isJson: values.json === true,
    }
  } catch (error) {
    complain(`${(error as Error).message}\n\n${USAGE}`)
    return undefined
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

function complain(sentence: string): void {
  const error = JSON.stringify({ error: { message: sentence } })
  process.stderr.write(process.argv.includes("--json") ? `${error}\n` : `countersign-node: ${sentence}\n`)
}
