// Makes or restores the database's part of a backup: `countersign-node backup database`.
import "../common/refuse-debugger.ts"
import { join, resolve } from "node:path"
import { UsageFault } from "../../signer/core/command-line.ts"
import {
  PART_OPTIONS,
  type PartResult,
  type PartWords,
  readPartWords,
} from "../../signer/core/backup-files/part-options.ts"
import { giveWay } from "../../signer/core/backup-files/give-way.ts"
import { dataDirectoryOf } from "../../signer/core/settings/settings.ts"
import { closeDatabase, connectDatabase, type Database } from "../database/database.ts"
import { createPart } from "./backup/create-part.ts"
import { rehearsePart, restorePart } from "./backup/restore-part.ts"
import type { ApiSettings } from "./config.ts"
import { runOperatorCommand } from "./operator-command.ts"

const USAGE = `Usage: countersign-node backup database create --to FILE --out FILE [--id ID] [--exports DIR] [--json]
       countersign-node backup database restore FILE... --key FILE [--exports DIR] [--json]
       countersign-node backup database rehearse FILE... --key FILE [--json]

  create copies all tables as they are at one moment, beside running processes, and exported files, encrypted for holders. Give
  the file to countersign-signer backup create afterwards: the ledger comes after the database.
  restore restores it into an empty database, in one transaction.
  rehearse restores it into a schema of its own, in a transaction that is rolled back. Name a database without load in DATABASE_URL.

      --to FILE      public keys of those who can open it, one a line: countersign-signer backup key
      --out FILE     the file of the part, which must not exist
      --id ID        the backup that it belongs to, as the first command printed it (default: a new one)
      --key FILE     private key of a holder
      --pins FILE    pins of the deployment, to compare with: countersign-signer pins --json
      --head FILE    a checkpoint of the log that someone kept: an older backup is refused
      --exports DIR  folder of exported files (default: exports in COUNTERSIGN_DATA_DIR)

Examples:
  countersign-node backup database create --to holders.txt --out database.part
  countersign-node backup database restore countersign.backup --key holder.pem --pins pins.json`

/** One session, without bounds on time: a copy takes as long as the database is large. */
const POOL = { applicationName: "countersign-backup", max: 1, statementTimeoutMs: 0, idleTransactionMs: 0 }

await runOperatorCommand({
  name: "backup database",
  usage: USAGE,
  options: { ...PART_OPTIONS, exports: { type: "string" } },
  read(values, positionals) {
    if (values["dry-run"] === true) throw new UsageFault("--dry-run does not belong to backup")
    const exports = resolve(values.exports ?? join(dataDirectoryOf(process.env), "exports"))
    return { ...readPartWords(values, positionals, "backup database"), exports }
  },
  async run({ database }: ApiSettings, { exports, ...command }, output) {
    const sql = connectDatabase(database, POOL)
    try {
      const { lines, json } = await resultOf(sql, command, exports)
      output.result(lines.join("\n"), json)
    } finally {
      await closeDatabase(sql)
    }
  },
})

function resultOf(sql: Database, { verb, part }: PartWords, exports: string): Promise<PartResult> {
  switch (verb) {
    case "create":
      giveWay()
      return createPart(sql, part, exports)
    case "restore":
      return restorePart(sql, part, exports)
    case "rehearse":
      return rehearsePart(sql, part)
    default:
      return verb satisfies never
  }
}
