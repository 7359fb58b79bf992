// Writes two long changes by the thread: node write-long.ts <directory> closes|leaves
import { type LedgerRow, DEPLOYMENT, deploymentChange } from "../../../../signer/enclave/ledger/ledger.ts"
import { neverTerminate, open } from "./harness.ts"

/** Ends a process that the thread keeps by a fault, also when its test is gone. */
setTimeout(() => process.exit(1), 120_000).unref()

const [, , directory = "", how] = process.argv
const ledger = open(directory, { terminate: neverTerminate })
const rows = (value: number): LedgerRow[] =>
  Array.from({ length: 2_000 }, (_, index) => ({
    kind: "setup",
    key: `${index}`,
    value: Uint8Array.of(value),
  }))
for (const value of [1, 2]) await ledger.commit([deploymentChange(ledger, { put: rows(value) })])
console.log(`written ${ledger.row(DEPLOYMENT, "setup", "1999")?.[0]}`)
if (how === "closes") {
  await ledger.close()
  console.log("closed")
}
