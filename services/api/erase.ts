// Erases a deleted sub-organization from the database and from exported files: `countersign-node db erase`.
import "../common/refuse-debugger.ts"
import { join, resolve } from "node:path"
import { UsageFault } from "../../signer/core/command-line.ts"
import { counted } from "../../signer/core/counted.ts"
import { dataDirectoryOf } from "../../signer/core/settings/settings.ts"
import { isUuid } from "../../signer/core/uuid.ts"
import { createLogger } from "../common/logger.ts"
import { withService } from "./command-service.ts"
import { type Erased, eraseOrganization } from "./exports/erase-organization.ts"
import { ExportFolder } from "./exports/export-files.ts"
import { runOperatorCommand } from "./operator-command.ts"

const USAGE = `Usage: countersign-node db erase ID [--text TEXT]... [--exports DIR] [--dry-run] [--json]

  Erases a deleted sub-organization: its rows, the activities of its parent that name its id or one of the texts, their
  webhook deliveries, and their lines in exported files. Run countersign-signer erase ID first (docs/OPERATIONS.md, Erasure).

      --text TEXT    a user's name, address or telephone number, as the parent's activities have it; can be repeated
      --exports DIR  folder of exported files (default: exports in COUNTERSIGN_DATA_DIR)
      --dry-run      print how many activities there are, and change nothing

Example:
  countersign-node db erase 0199b2c4-7a10-7000-8000-3f6d5c2b1a09 --text carol@example.com`

/** Shortest text, characters. Shorter ones also occur in activities that do not concern the person. */
const MIN_TEXT = 5

await runOperatorCommand({
  name: "db erase",
  usage: USAGE,
  options: { text: { type: "string", multiple: true }, exports: { type: "string" } },
  read(values, positionals) {
    const [organizationId = "", ...others] = positionals
    if (!isUuid(organizationId) || others.length > 0)
      throw new UsageFault("db erase takes the id of one deleted sub-organization")
    return {
      organizationId,
      words: requireLong(values.text ?? []),
      directory: resolve(values.exports ?? join(dataDirectoryOf(process.env), "exports")),
      isDry: values["dry-run"] === true,
    }
  },
  // The service first stores the document without the name, and the outcomes that the ledger still keeps. An outcome that is
  // stored later would store its activity again.
  run: (config, { directory, ...erasure }, output) =>
    withService(config, createLogger("erase", config.logLevel), async (service, sql) => {
      await service.heal(false)
      const folder = new ExportFolder(directory)
      const erased = await eraseOrganization({ sql, folder, ...erasure, nowMs: Date.now() })
      output.result(lineOf(erased, erasure.isDry), { ...erased, directory })
    }),
})

function requireLong(texts: string[]): string[] {
  const short = texts.find((text) => text.length < MIN_TEXT)
  if (short === undefined) return texts
  throw new UsageFault(`--text ${JSON.stringify(short)}: too short; use at least ${MIN_TEXT} characters`)
}

function lineOf({ ownActivities, parentActivities, exportedLines }: Erased, isDry: boolean): string {
  const activities = `${counted(ownActivities, "activity", "activities")} of the organization and ${parentActivities} of its parent`
  return isDry
    ? `${activities} would be erased`
    : `${activities} erased, and ${counted(exportedLines, "line")} of exported files`
}
