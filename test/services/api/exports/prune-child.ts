// Prunes the database of its argument, in a process that a test kills.
import { ExportFolder } from "../../../../services/api/exports/export-files.ts"
import { prune } from "../../../../services/api/exports/prune.ts"
import { closeDatabase, connectDatabase } from "../../../../services/database/database.ts"

const [url = "", directory = "", before] = process.argv.slice(2)
const sql = connectDatabase({ url }, { max: 1 })
const pause = async () => process.stdout.write(".")
await prune({ sql, folder: new ExportFolder(directory), beforeMs: Number(before), pause })
await closeDatabase(sql)
