import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { emptyDirectory, prepareDirectory } from "../../../../services/cli/dev/directory.ts"
import { layout, requireShortPaths } from "../../../../services/cli/dev/layout.ts"
import { ExitCode } from "../../../../services/cli/exit.ts"
import { readSettings } from "../../../../services/cli/settings.ts"

function place(directory: string) {
  return { places: layout(directory), settings: readSettings({ COUNTERSIGN_DATA_DIR: directory }) }
}
const silent = () => undefined

t.test("forgets all it made, but for the lock that is held", async (t) => {
  const { places, settings } = place(join(t.testdir(), "data"))
  await prepareDirectory(places)
  writeFileSync(places.lock, "1\n")
  mkdirSync(join(places.directory, "signer"))
  writeFileSync(places.signerSeed, "seed")
  writeFileSync(places.seeded, "{}")
  await emptyDirectory(places, settings, silent)
  t.same(readdirSync(places.directory).toSorted(), ["DEVELOPMENT", "dev.lock", "logs"])
})

t.test("refuses to empty a directory that had something in it before", async (t) => {
  const { places, settings } = place(t.testdir({ "thesis.txt": "years of work" }))
  await prepareDirectory(places)
  await t.rejects(emptyDirectory(places, settings, silent), { code: ExitCode.refused, message: /by hand/ })
  t.ok(existsSync(join(places.directory, "thesis.txt")))
})

t.test("refuses a directory whose sockets would not fit", async (t) => {
  t.doesNotThrow(() => requireShortPaths(layout(`/${"x".repeat(79)}`)))
  t.throws(() => requireShortPaths(layout(`/${"x".repeat(80)}`)), {
    code: ExitCode.usage,
    message: /1 bytes too long/,
  })
})
