// The thread that writes long transactions and moves the log into the database, so that neither holds up the signer.
import { parentPort, workerData } from "node:worker_threads"
import { openSecondConnection } from "./connection.ts"
import { Statements } from "./statements.ts"
import { execute, type Write } from "./writes.ts"

/** Tasks are answered in their order; "close" is the last and has no answer. "write" belongs to the transaction that "begin" opened, as far as none failed. */
export type Task =
  | { is: "begin" }
  | { is: "write"; writes: Write[] }
  | { is: "commit" }
  | { is: "checkpoint" }
  | { is: "close" }

/** `error`: what SQLite said; then an open transaction was rolled back. */
export type TaskAnswer = { error?: { message: string; errcode: number | undefined } }

const connection = openSecondConnection(workerData as string)
const statements = new Statements(connection)

parentPort?.on("message", (task: Task) => {
  if (task.is !== "close") return parentPort?.postMessage(answer(task))
  connection.close()
  return parentPort?.close()
})

function answer(task: Exclude<Task, { is: "close" }>): TaskAnswer {
  try {
    perform(task)
    return {}
  } catch (error) {
    if (connection.isTransaction) connection.exec("ROLLBACK")
    const { message, errcode } = error as Error & { errcode?: number }
    return { error: { message, errcode } }
  }
}

function perform(task: Exclude<Task, { is: "close" }>): void {
  switch (task.is) {
    case "begin":
      return connection.exec("BEGIN IMMEDIATE")
    case "write":
      // After a failed task its transaction is gone, and what follows must not be written by itself.
      if (!connection.isTransaction) throw new Error("the transaction was rolled back")
      for (const write of task.writes) execute(write, statements)
      return
    case "commit":
      return connection.exec("COMMIT")
    case "checkpoint":
      return connection.exec("PRAGMA wal_checkpoint(PASSIVE)")
    default:
      return task satisfies never
  }
}
