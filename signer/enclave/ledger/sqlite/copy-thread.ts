// The thread that copies the ledger's database while the signer serves: see copy-ledger.ts.
import { parentPort, workerData } from "node:worker_threads"
import { backup } from "node:sqlite"
import type { LedgerPosition } from "../ledger.ts"
import { openSecondConnection } from "./connection.ts"
import { guardRead } from "./fault.ts"
import { Statements } from "./statements.ts"

/** Pages at a time, a megabyte, and the time in which others may use the disk after it. */
const PAGES = 256
const REST_MS = 2

const NEVER = new Int32Array(new SharedArrayBuffer(4))

/** Files of the database and of its copy. */
export type CopyOrder = { database: string; target: string }
export type CopyProgress =
  | { is: "begun"; lanes: LedgerPosition["lanes"] }
  | { is: "copied"; pages: number; of: number }

const say = (progress: CopyProgress) => parentPort?.postMessage(progress)
const { database, target } = workerData as CopyOrder
const connection = openSecondConnection(database)
try {
  // The transaction sees one moment, whatever is written meanwhile; its first read takes it.
  connection.exec("BEGIN")
  const lanes = guardRead(() => new Statements(connection).lanes()).map(
    ({ lane, fence, epoch, sequence }) => ({
      lane,
      fence,
      epoch,
      sequence,
    }),
  )
  say({ is: "begun", lanes })
  await backup(connection, target, {
    rate: PAGES,
    progress({ totalPages, remainingPages }) {
      say({ is: "copied", pages: totalPages - remainingPages, of: totalPages })
      Atomics.wait(NEVER, 0, 0, REST_MS)
    },
  })
  connection.exec("ROLLBACK")
} finally {
  connection.close()
}
