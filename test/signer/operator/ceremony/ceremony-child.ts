// A program: runs a ceremony, or a change of shares, on a data directory, and kills itself without warning before the step of its files
// with this number. Its first line of output is the list of its sheets, before any step that stores them.
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { readConfig } from "../../../../signer/enclave/config.ts"
import { ceremony, changeShares } from "../../../../signer/operator/ceremony/ceremony.ts"
import { CEREMONY, Holders } from "./holders.ts"

const [, , directory = "", kind, lastStep = "0", old = "[]"] = process.argv

/** Calls that change files. */
const CHANGES = [
  "mkdirSync",
  "openSync",
  "writeFileSync",
  "writeSync",
  "fsyncSync",
  "renameSync",
  "rmSync",
] as const

let step = 0
for (const name of CHANGES) {
  const own = fs[name] as (...words: unknown[]) => unknown
  Object.assign(fs, {
    [name]: (...words: unknown[]) => {
      step += 1
      if (step === Number(lastStep)) process.kill(process.pid, "SIGKILL")
      return own(...words)
    },
  })
}
syncBuiltinESMExports()

const present = JSON.parse(old) as string[]
const holders = new Holders((question, { sheets }) => {
  if (question.startsWith("Present")) return present.shift()
  // The last question: every sheet is known, and nothing is stored yet.
  if (/words of share 3 /.test(question)) {
    fs.writeSync(1, `${JSON.stringify([...sheets.values()])}\n`)
    step = 0
  }
  return undefined
})
const command = { ...CEREMONY, shares: 3, threshold: 2 }
const run = kind === "change" ? changeShares : ceremony
await run(command, readConfig({ COUNTERSIGN_DATA_DIR: directory }), holders)
