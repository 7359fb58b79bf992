// A process that appends to a log until it is killed: log-writer.ts DIRECTORY STATE. It prints each checkpoint once it is signed.
import { existsSync, readFileSync } from "node:fs"
import { setImmediate as turn } from "node:timers/promises"
import { replaceFile } from "../../signer/enclave/log/log-files.ts"
import { TestLog } from "./signer-log.ts"

const [directory = "", stateFile = ""] = process.argv.slice(2)
const sequence = existsSync(stateFile) ? BigInt(readFileSync(stateFile, "utf8")) : 1n
const log = new TestLog(directory, { sequence, digest: Buffer.alloc(32, Number(sequence % 256n)) })
process.stdout.write(`start ${log.code ?? "whole"}\n`)
for (let round = 1; ; round++) {
  log.decide(1 + ((round * 7919) % 1500))
  // The ledger is synced before anyone learns of a transaction.
  replaceFile(stateFile, Buffer.from(String(log.ledger.sequence + 1n)))
  log.transaction()
  const signing = log.sign()
  log.decide(round % 50)
  await signing
  process.stdout.write(`${log.checkpoint.toString("base64")}\n`)
  await turn()
}
