// A program: runs a ceremony, or a change of shares or of the sealed file, on a data directory, and kills itself without warning before
// the step of its files with this number. Its first line of output is the list of its sheets, before any step that stores them.
// Started with a channel it takes one order after another, and does not kill itself: from that step on it changes no file.
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { readConfig } from "../../../../signer/enclave/config.ts"
import { ceremony, changeShares } from "../../../../signer/operator/ceremony/ceremony.ts"
import {
  acceptSeal,
  changeDaily,
  changeHolders,
  changeWitnesses,
  leaveProduction,
} from "../../../../signer/operator/ceremony/change-file.ts"
import { holders as newHolders } from "../../../harness/holder-keys.ts"
import { newWitnessKey, witnessSettingsOf } from "../../../harness/witness-keys.ts"
import { CEREMONY, Holders, lineOf, otherSeedsIn } from "./holders.ts"
import { CHANGE, hexes } from "./sealed-deployment.ts"

export type Order = { directory: string; kind: string; lastStep: number; old: readonly string[] }

/** Calls that change files, which are steps. */
const STEPS = [
  "mkdirSync",
  "openSync",
  "writeFileSync",
  "writeSync",
  "fsyncSync",
  "renameSync",
  "rmSync",
] as const

const isServing = process.send !== undefined
let step = 0
let lastStep = 0
let isStopped = false
/** The sheets of the run's new set. */
let known: readonly string[] = []

for (const name of STEPS) {
  const own = fs[name] as (...words: unknown[]) => unknown
  Object.assign(fs, {
    [name]: (...words: unknown[]) => {
      step += 1
      if (step === lastStep && !isServing) process.kill(process.pid, "SIGKILL")
      isStopped ||= step === lastStep
      if (isStopped) throw new Error("this process is stopped")
      return own(...words)
    },
  })
}
syncBuiltinESMExports()

/** Says which sheets there are, and counts steps from now on. */
function begin(sheets: readonly string[]): void {
  known = sheets
  if (!isServing) fs.writeSync(1, `${JSON.stringify(sheets)}\n`)
  step = 0
}

async function run({ directory, kind, old: sheets }: Order): Promise<void> {
  /** Owners of the lines of a sheet. */
  const isAll = kind.endsWith("-of-all")
  const owners = ["signer", ...(isAll ? ["fetcher", "auth proxy", "certificate authority"] : [])]
  /** True if the run makes a set of shares. */
  const isSet = /^(?:ceremony|change)(?:-of-all)?$/.test(kind)
  /** Shares that were given so far, for each owner. */
  const given = new Map<string, number>()

  const holders = new Holders((question, { sheets: own }) => {
    const [present, owner = "signer"] =
      /^Present share .*needed(?: for the ([a-z ]+))?:$/.exec(question) ?? []
    if (present !== undefined) {
      const number = given.get(owner) ?? 0
      given.set(owner, number + 1)
      // Without new shares the file changes as soon as the second present one is given.
      if (!isSet && number === 1) begin([])
      return lineOf(sheets[number] ?? "", owners.indexOf(owner))
    }
    // The last question: every sheet is known, and nothing is stored yet.
    if (isSet && question.includes(`words of share 3 of the ${owners.at(-1)},`)) begin([...own.values()])
    return undefined
  })

  const settings = witnessSettingsOf([newWitnessKey("one")])
  const config = { ...readConfig({ COUNTERSIGN_DATA_DIR: directory, ...settings }), isProduction: true }
  const files = isAll ? otherSeedsIn(directory) : {}
  const command = { ...CEREMONY, shares: 3, threshold: 2, ...files }
  const runs: { readonly [name: string]: () => Promise<unknown> } = {
    ceremony: () => ceremony(command, config, holders),
    change: () => changeShares(command, config, holders),
    "change-holders": () => changeHolders({ ...CHANGE, holders: hexes(newHolders(3)) }, config, holders),
    "change-daily": () => changeDaily(CHANGE, config, holders),
    "change-witnesses": () => changeWitnesses(CHANGE, config, holders),
    "leave-production": () => leaveProduction(CHANGE, config, holders),
    "accept-seal": () => acceptSeal(CHANGE, config, holders),
  }
  await runs[kind.replace("-of-all", "")]!()
}

/** Runs an order, and says whether it was stopped, which sheets it showed, and how it failed. */
async function serve(order: Order): Promise<void> {
  ;[step, lastStep, isStopped, known] = [0, order.lastStep, false, []]
  const fault = await run(order).then(
    () => "",
    (error: unknown) => String(error),
  )
  process.send?.({ isKilled: isStopped, sheets: known, fault: isStopped ? "" : fault })
}

if (isServing) process.on("message", (order: Order) => void serve(order))
else {
  const [, , directory = "", kind = "", last = "0", old = "[]"] = process.argv
  lastStep = Number(last)
  await run({ directory, kind, lastStep, old: JSON.parse(old) as string[] })
}
