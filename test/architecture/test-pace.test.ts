// Time limits of tests, and the machine that they run on.
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import t from "tap"
import { ROOT } from "../../scripts/run.ts"
import { measurePace } from "../../scripts/test-pace.ts"

t.test("a measured pace never shortens a limit, and never makes it endless", async (t) => {
  const pace = await measurePace()
  t.ok(pace >= 1 && pace <= 20, String(pace))
})

t.test("a limit is multiplied by the pace of the run, and is as given without one", async (t) => {
  const module = pathToFileURL(join(ROOT, "test/harness/patience.ts")).href
  const limitAt = (pace?: string) => {
    const script = `import { patienceMs } from "${module}"\nconsole.log(patienceMs(1000))`
    const { TEST_PACE: _, ...rest } = process.env
    const env = { ...rest, ...(pace !== undefined && { TEST_PACE: pace }) }
    const words = ["--input-type=module", "--eval", script]
    return Number(spawnSync(process.execPath, words, { encoding: "utf8", env }).stdout)
  }
  t.equal(limitAt("4.5"), 4500)
  t.equal(limitAt("0.5"), 1000)
  t.equal(limitAt(), 1000)
})
