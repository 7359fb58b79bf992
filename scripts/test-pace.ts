// How slow this machine is at this moment. Time limits of tests are multiplied by it, so that a slow or busy machine gets the time
// that it needs, while a test that hangs still ends.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { availableParallelism } from "node:os"

/** Time of the work on the machine on which the tests' limits were chosen: two cores, otherwise idle. */
const USUAL_MS = 150
/** Beyond this the machine does not work at all. */
const HIGHEST = 20

/** A program's start, and what tests spend most of their time on: compiling, signatures, hashes. */
const WORK = `
  const { createHash, generateKeyPairSync, sign } = require("node:crypto")
  require("node:http")
  require("node:sqlite")
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  for (let round = 0; round < 4000; round++) sign("sha256", createHash("sha256").update(String(round)).digest(), privateKey)
`

/** 1 on a machine as fast as usual or faster, else the number of times that the same work takes longer. */
export async function measurePace(): Promise<number> {
  const startMs = performance.now()
  // On every core at once: others may use them.
  await Promise.all(Array.from({ length: availableParallelism() }, work))
  const pace = (performance.now() - startMs) / USUAL_MS
  return Math.min(HIGHEST, Math.max(1, Math.round(pace * 10) / 10))
}

async function work(): Promise<void> {
  const child = spawn(process.execPath, ["--no-warnings", "--eval", WORK], { stdio: "ignore", env: {} })
  await once(child, "exit")
}
