// The thread that writes long transactions and moves the log into the database, so that neither holds up the signer.
import { parentPort, workerData } from "node:worker_threads"
import { openSecondConnection } from "./connection.ts"
import { Statements } from "./statements.ts"
import { executeAll, type Write } from "./writes.ts"

/** Tasks are answered in their order; "close" is the last and has no answer. "write" belongs to the transaction that "begin" opened, as far as none failed. */
export type Task =
  | { is: "begin" }
  | { is: "write"; writes: Write[] }
  | { is: "commit" }
  | { is: "checkpoint" }
  | { is: "close" }

/** `isLaneMoved`: a lane was at another sequence. `error`: the error of SQLite. In both cases an open transaction was rolled back. */
export type TaskAnswer = {
  isLaneMoved?: boolean
  error?: { message: string; errcode: number | undefined }
}

const connection = openSecondConnection(workerData as string)
const statements = new Statements(connection)

parentPort?.on("message", (task: Task) => {
  if (task.is !== "close") return parentPort?.postMessage(answer(task))
  connection.close()
  return parentPort?.close()
})

const STATEMENTS = {
  begin: "BEGIN IMMEDIATE",
  commit: "COMMIT",
  checkpoint: "PRAGMA wal_checkpoint(PASSIVE)",
} as const

function answer(task: Exclude<Task, { is: "close" }>): TaskAnswer {
  try {
    if (task.is !== "write") connection.exec(STATEMENTS[task.is])
    else if (!isWritten(task.writes)) return { isLaneMoved: true }
    return {}
  } catch (error) {
    if (connection.isTransaction) connection.exec("ROLLBACK")
    const { message, errcode } = error as Error & { errcode?: number }
    return { error: { message, errcode } }
  }
}

/** False: a lane is at another sequence, and the transaction was rolled back. */
function isWritten(writes: readonly Write[]): boolean {
  // A failed task rolled the transaction back: later tasks of it must not be written outside a transaction.
  if (!connection.isTransaction) throw new Error("the transaction was rolled back")
  if (executeAll(writes, statements)) return true
  connection.exec("ROLLBACK")
  return false
}
