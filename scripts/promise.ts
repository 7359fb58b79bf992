// Part of a release: records the contract in proto/ as what later releases must not break. With `--break` also one that
// breaks what was promised.
import { PROMISED, renewPromises } from "./promises.ts"

const fault = await renewPromises(undefined, { breaks: process.argv.includes("--break") })
if (fault === undefined) console.log(`${PROMISED} is the contract of this release: commit it`)
else console.error(`${fault.trimEnd()}\n${PROMISED} is unchanged: proto/ breaks what was promised`)
process.exitCode = fault === undefined ? 0 : 1
