// The simulator's short form, and a check that its oracle notices faults.
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import t from "tap"
import { isLong } from "../harness/long.ts"
import { explore, stepsOfSeed } from "./explore.ts"
import type { Observed } from "./oracle.ts"
import { newFigures } from "./run.ts"
import { simulate } from "./simulation.ts"

const RUNS = isLong ? 400 : 3

t.test("A6: every answer is what the rules say, with kills, faults and an untrusted tier", async (t) => {
  const figures = newFigures()
  const lines: string[] = []
  t.ok(await explore({ seed: 1, runs: RUNS, figures, print: (line) => lines.push(line) }), lines.join("\n"))
  t.comment(lines[0])
  for (const name of ["COMPLETED", "CONSENSUS_NEEDED", "PERMISSION_DENIED"])
    t.ok((figures.answers.get(name) ?? 0) > RUNS, `${name} was met`)
  t.ok(figures.kills > RUNS, "the process was killed")
})

t.test("one seed is one run", async (t) => {
  const [one, other] = [newFigures(), newFigures()]
  for (const figures of [one, other]) await simulate("7", stepsOfSeed(7), { figures })
  t.strictSame(one, other)
})

/** Answers of a signer with a fault, by the fault. */
const FAULTS: Record<string, (observed: Observed) => Observed> = {
  "an activity that must wait is carried out": (observed) =>
    observed.is === "outcome" && observed.status === "CONSENSUS_NEEDED"
      ? { ...observed, status: "COMPLETED" }
      : observed,
  "an activity that is denied waits": (observed) =>
    observed.is === "refused" && observed.code === "PERMISSION_DENIED"
      ? { ...NOTHING, status: "CONSENSUS_NEEDED" }
      : observed,
  "another key signs": (observed) =>
    observed.is === "outcome" && observed.signer !== ""
      ? { ...observed, signer: `0x${"11".repeat(20)}` }
      : observed,
  "a version is left out": (observed) =>
    observed.is === "outcome" && observed.version > 2n
      ? { ...observed, version: observed.version + 1n }
      : observed,
  "an id is given twice": (observed) =>
    observed.is === "outcome" && observed.created.length > 0 ? { ...observed, created: ["one"] } : observed,
}

const NOTHING = {
  is: "outcome",
  status: "COMPLETED",
  activityId: "",
  failure: "",
  created: [],
  version: 0n,
  keys: [],
  signer: "",
} satisfies Observed

for (const [name, alter] of Object.entries(FAULTS))
  t.test(`the oracle sees it when ${name}`, async (t) => {
    const seeds = Array.from({ length: 20 }, (_, index) => index + 1)
    const seen = async (seed: number) =>
      simulate(String(seed), stepsOfSeed(seed), { alter }).then(
        () => false,
        () => true,
      )
    let isSeen = false
    for (const seed of seeds) isSeen ||= await seen(seed)
    t.ok(isSeen)
  })

t.test("the command takes a seed, and refuses what is no number", async (t) => {
  const command = (...args: string[]) =>
    spawnSync(process.execPath, [join(import.meta.dirname, "main.ts"), ...args], { encoding: "utf8" })
  t.match(command("--seed", "3"), { status: 0, stdout: /^\d+ orders, \d+ ends of the process, no fault\n/ })
  t.match(command("--seed", "x"), { status: 2, stderr: /take numbers/ })
})
