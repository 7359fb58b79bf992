import { spawn } from "node:child_process"
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { getOption } from "@bufbuild/protobuf"
import {
  refusal as declaration,
  RefusalCodeSchema,
} from "../../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import { ROOT, TOOLS } from "../../../scripts/run.ts"
import { Figures } from "./figures.ts"

/** Tests whose signer is in their process. */
const FILES = [
  "test/hostile/*.test.ts",
  "test/contract/*.test.ts",
  "test/signer/enclave/execution/**/*.test.ts",
]

const codes = RefusalCodeSchema.values.filter(({ number }) => number !== 0)
const nameOf = (code: string) => codes.find(({ number }) => number === Number(code))?.localName ?? code

/**
 * Runs the tests, whatever they say of a signer that gets refused orders twice, and compares both answers. A refusal that the
 * contract declares final ends an activity that waits: the second vote then meets an ended one.
 */
export async function retrySuite(patterns: readonly string[]): Promise<Figures> {
  const figures = new Figures("refusal of the suite × retry")
  const folder = mkdtempSync(join(tmpdir(), "cs-retried-"))
  const preload = new URL("retry-refusals.ts", import.meta.url)
  preload.searchParams.set("folder", folder)
  const files = globSync(patterns.length > 0 ? patterns : FILES, { cwd: ROOT }).toSorted()
  const env = { ...TOOLS, NODE_OPTIONS: `--import=${preload.href}` }
  const child = spawn(process.execPath, ["scripts/test.ts", ...files], { cwd: ROOT, env, stdio: "ignore" })
  await new Promise((resolve) => child.once("close", resolve))
  const pairs = new Set(
    readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), "utf8").trimEnd().split("\n")),
  )
  rmSync(folder, { recursive: true })
  const retried = new Set<string>()
  if (pairs.size === 0) figures.count("every refusal", "no test has sent one again", [])
  for (const pair of pairs) {
    const [first = "", again = ""] = pair.split(" ").map(nameOf)
    retried.add(first)
    // Another order was under way: its end is the end of the cause.
    if (first === "ORGANIZATION_BUSY") continue
    const value = RefusalCodeSchema.values.find(({ localName }) => localName === first)!
    const allowed = getOption(value, declaration).final ? [first, "ACTIVITY_FINAL"] : [first]
    figures.count(`${first}, again`, again, allowed)
  }
  for (const { localName } of codes) {
    if (retried.has(localName)) continue
    figures.notRun(`no order got ${localName}`)
  }
  return figures
}
