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

/** Tests that run the signer in their own process. */
const FILES = [
  "test/hostile/*.test.ts",
  "test/contract/*.test.ts",
  "test/signer/enclave/execution/**/*.test.ts",
]

const codes = RefusalCodeSchema.values.filter(({ number }) => number !== 0)
const nameOf = (code: string) => codes.find(({ number }) => number === Number(code))?.localName ?? code

/**
 * Runs the tests with a signer that gets each refused order twice, and compares both answers. Results of the tests are ignored, for
 * they may depend on the number of orders. A refusal that the contract declares final ends a waiting activity, so a second vote on
 * it may get ACTIVITY_FINAL.
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
  if (pairs.size === 0) figures.count("every refusal", "no test repeated a refused order", [])
  for (const pair of pairs) {
    const [first = "", again = ""] = pair.split(" ").map(nameOf)
    retried.add(first)
    // Its cause ends with the other order, so the repetition may get any answer.
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
