import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { RefusalCodeSchema } from "../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import { recordingIn, unansweredCodes } from "../../scripts/refusal-coverage.ts"
import { ROOT } from "../../scripts/run.ts"

const all = RefusalCodeSchema.values.filter(({ number }) => number !== 0).map(({ localName }) => localName)

t.test("the preload records the codes of refusals, in child processes too", async (t) => {
  const folder = t.testdir()
  const refusing = `
    import { spawnSync } from "node:child_process"
    import { Refusal, refuse } from "./signer/core/refusal.ts"
    const made = refuse("STAMP_INVALID", "a sentence")
    if (!(made instanceof Refusal) || made.code !== "STAMP_INVALID") throw new Error("not a refusal")
    if (process.argv[1] === "parent") spawnSync(process.execPath, ["--input-type=module", "-e",
      'import { Refusal } from "./signer/core/refusal.ts"; new Refusal("STAMP_MISSING", "a sentence")'])`
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", refusing, "parent"], {
    cwd: ROOT,
    env: { NODE_OPTIONS: recordingIn(folder) },
  })
  t.equal(status, 0, stderr.toString())
  t.strictSame(
    unansweredCodes(folder),
    all.filter((code) => code !== "STAMP_INVALID" && code !== "STAMP_MISSING"),
  )
})

t.test("a refusal that a test makes, or that was read from another program, is not recorded", async (t) => {
  const folder = t.testdir()
  const { status, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, "refusing.ts")], {
    env: { NODE_OPTIONS: recordingIn(folder) },
  })
  t.equal(status, 0, stderr.toString())
  t.strictSame(
    unansweredCodes(folder),
    all.filter((code) => code !== "HOLDERS_IMPOSSIBLE"),
  )
})

t.test("every declared code that no process recorded is reported", async (t) => {
  const folder = t.testdir()
  t.ok(all.length > 40)
  t.strictSame(unansweredCodes(folder), all)
  writeFileSync(join(folder, "1-0"), `${all.slice(2).join("\n")}\n`)
  t.strictSame(unansweredCodes(folder), all.slice(0, 2))
})
