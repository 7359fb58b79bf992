import type { Writable } from "node:stream"
import { setImmediate as nextTurn } from "node:timers/promises"
import { edited } from "../../../signer/core/backup/fault.ts"
import type { Transaction } from "../../database/database.ts"

/** Writes rows in PostgreSQL's text format to a table. @throws {BackupFault} BACKUP_EDITED: the table takes no such rows */
export async function copyIn(
  tx: Transaction,
  table: string,
  columns: readonly string[],
  bytes: AsyncIterable<Uint8Array>,
): Promise<void> {
  const stream = await tx`copy ${tx(table)} (${tx([...columns])}) from stdin`.writable()
  // The first fault is that of the server; it also ends the stream.
  const fault: { error?: Error } = {}
  stream.on("error", (error: Error) => (fault.error ??= error))
  for await (const some of bytes)
    await written(stream, some).catch((error: unknown) => fail(fault.error ?? error))
  // The driver takes the next statement once it has sent the end, which it does when nothing is buffered any more.
  await nextTurn()
  stream.end()
  await nextTurn()
  // It reports no fault that comes after the last byte. The next statement does: the transaction is void.
  await tx`select`.catch((error: unknown) =>
    fail(fault.error ?? edited(`the database refuses rows of ${table} (${String(error)})`)),
  )
}

function written(stream: Writable, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(bytes, (error) => (error ? reject(error) : resolve()))
  })
}

function fail(error: unknown): never {
  throw error
}
