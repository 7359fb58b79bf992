// The settings of several processes, of which one's code fails.
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { listingOf } from "../../../services/node/settings.ts"

t.test("C-1901: a process whose code fails when it is loaded is a fault of that process alone", async (t) => {
  const root = t.testdir()
  const folder = join("services", "broken")
  mkdirSync(join(root, folder), { recursive: true })
  writeFileSync(
    join(root, folder, "check-settings.ts"),
    'throw new Error("a part is missing\\nin this place")\n',
  )
  t.strictSame(await listingOf(folder, {}, root), {
    settings: [],
    faults: [
      "services/broken: its settings could not be read: a part is missing; install this release again",
    ],
  })
  const { settings, faults } = await listingOf("services/worker", {})
  t.ok(settings.length > 5)
  t.strictSame(faults, [])
})
