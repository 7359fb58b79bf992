// Runs the signer's own code with an untrusted tier, faults and users at random, and has an oracle check every answer.
// npm run simulate                            one run of each of 200 seeds
// npm run simulate -- --seed 7                one run, of this seed (--runs 60: so many, from this seed on)
// npm run simulate -- --seed 7 --hours 0.5    new seeds from this one on, on every core, for so long (--alone: on one)
import { spawn } from "node:child_process"
import { availableParallelism } from "node:os"
import { parseArgs } from "node:util"
import { explore } from "./explore.ts"

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    hours: { type: "string" },
    runs: { type: "string" },
    every: { type: "string", default: "1" },
    alone: { type: "boolean", default: false },
  },
})

process.once("unhandledRejection", (error) => {
  console.log(`unhandled rejection of a promise: ${error instanceof Error ? error.stack : String(error)}`)
  process.exit(1)
})

const hours = values.hours === undefined ? undefined : Number(values.hours)
const seed = Number(values.seed ?? 1)
const runs = Number(
  values.runs ?? (hours !== undefined ? Number.MAX_SAFE_INTEGER : values.seed === undefined ? 200 : 1),
)
const every = Number(values.every)
if (![hours ?? 0, seed, runs, every].every((value) => value >= 0)) {
  console.error("--seed, --hours, --runs and --every take numbers")
  process.exit(2)
}

if (hours !== undefined && !values.alone) await onEveryCore(availableParallelism())
else {
  const endMs = hours === undefined ? Number.POSITIVE_INFINITY : Date.now() + hours * 3_600_000
  const isFaultless = await explore({ seed, runs, every, endMs, print: console.log })
  process.exitCode = isFaultless ? 0 : 1
}

/** Each process takes every n-th seed. All end with the first that finds a fault. */
async function onEveryCore(cores: number): Promise<void> {
  const children = Array.from({ length: cores }, (_, index) => {
    const own = [
      "--seed",
      String(seed + index),
      "--hours",
      String(hours),
      "--every",
      String(cores),
      "--alone",
    ]
    // The signer's own log would hide the results.
    return spawn(process.execPath, [import.meta.filename, ...own], { stdio: ["ignore", "inherit", "ignore"] })
  })
  const codes = children.map(
    (child) =>
      new Promise<void>((resolve) => {
        child.once("exit", (code) => {
          if (code !== 0) {
            process.exitCode = 1
            for (const other of children) if (other !== child) other.kill()
          }
          resolve()
        })
      }),
  )
  await Promise.all(codes)
}
