// Lists or applies the migrations of the API's database: `countersign-node db`.
import "../common/refuse-debugger.ts"
import { counted } from "../../signer/core/counted.ts"
import { startFaultOf } from "../../signer/core/settings/start-fault.ts"
import { NODE_PROGRAM, sayFault } from "../common/program.ts"
import { readOrExit } from "../common/settings.ts"
import { closeDatabase, connectDatabase, MIGRATIONS_POOL } from "../database/database.ts"
import { databaseFaultOf } from "../database/start-fault.ts"
import { readApiConfig } from "./config.ts"
import { migrate, planMigrations } from "./store/migrate.ts"

const REFUSED = 3

await main(process.argv.slice(2))

async function main(words: readonly string[]): Promise<void> {
  const isJson = words.includes("--json")
  const [command, ...others] = words.filter((word) => word !== "--json")
  if ((command !== "plan" && command !== "migrate") || others.length > 0) {
    process.stderr.write("Usage: node services/api/migrations.ts plan|migrate [--json]\n")
    process.exitCode = 2
    return
  }
  const { database } = readOrExit(readApiConfig)
  const sql = connectDatabase(database, MIGRATIONS_POOL)
  try {
    if (command === "migrate") {
      const applied = await migrate(sql)
      print(
        isJson
          ? [JSON.stringify({ applied })]
          : [...applied, `${counted(applied.length, "migration")} applied`],
      )
      return
    }
    const migrations = await planMigrations(sql)
    print(
      isJson
        ? [JSON.stringify({ migrations })]
        : migrations.map(({ name, state }) => `${state.padEnd(8)} ${name}`),
    )
    if (migrations.some(({ state }) => state === "altered" || state === "unknown")) process.exitCode = REFUSED
  } catch (error) {
    const fault = databaseFaultOf(error, database) ?? startFaultOf(error)
    process.exitCode = fault?.status ?? 1
    sayFault(fault?.sentence ?? (error as Error).message, process.exitCode, NODE_PROGRAM)
  } finally {
    await closeDatabase(sql)
  }
}

function print(lines: readonly string[]): void {
  for (const line of lines) process.stdout.write(`${line}\n`)
}
