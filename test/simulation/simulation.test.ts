// The simulator's short form, and a check that its oracle notices faults.
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import t from "tap"
import { casesOf, isLong } from "../harness/long.ts"
import { explore, stepsOfSeed } from "./explore.ts"
import { MUTANTS } from "./mutants.ts"
import { newFigures } from "./figures.ts"
import { simulate } from "./simulation.ts"

const RUNS = isLong ? 400 : 3

t.test("A6: every answer is what the rules say, with kills, faults and an untrusted tier", async (t) => {
  const figures = newFigures()
  const lines: string[] = []
  t.ok(await explore({ seed: 18, runs: RUNS, figures, print: (line) => lines.push(line) }), lines.join("\n"))
  t.comment(lines[0])
  for (const name of ["COMPLETED", "CONSENSUS_NEEDED", "PERMISSION_DENIED"])
    t.ok(figures.answers.has(name), `${name} was met`)
  t.ok(figures.kills > RUNS, "the process was killed")
  t.ok(figures.acknowledged > RUNS, "outcomes were acknowledged")
  t.ok(figures.forged > RUNS, "bits were altered")
  t.ok(figures.decisions > 10 * RUNS, "decisions were found in the log")
})

t.test("one seed is one run", async (t) => {
  const [one, other] = [newFigures(), newFigures()]
  for (const figures of [one, other]) await simulate("7", stepsOfSeed(7), { figures })
  t.strictSame(one, other)
})

for (const [name, newMutant] of casesOf(6, Object.entries(MUTANTS)))
  t.test(`the oracle sees it when ${name}`, async (t) => {
    const seen = async (seed: number) =>
      simulate(String(seed), stepsOfSeed(seed), { mutant: newMutant() }).then(
        () => false,
        () => true,
      )
    let isSeen = false
    for (let seed = 1; seed <= 20 && !isSeen; seed++) isSeen = await seen(seed)
    t.ok(isSeen)
  })

t.test("the command takes a seed, and refuses what is no number", async (t) => {
  const command = (...args: string[]) =>
    spawnSync(process.execPath, [join(import.meta.dirname, "main.ts"), ...args], { encoding: "utf8" })
  t.match(command("--seed", "3"), { status: 0, stdout: /^\d+ orders, \d+ ends of the process, no fault\n/ })
  t.match(command("--seed", "x"), { status: 2, stderr: /take numbers/ })
})
