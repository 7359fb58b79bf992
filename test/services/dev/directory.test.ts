import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { emptyDirectory, dataDirectoryFaults, prepareDirectory } from "../../../services/dev/directory.ts"
import { socketPathFaults, layout } from "../../../services/dev/layout.ts"
import { ExitCode } from "../../../services/terminal-client/exit.ts"
import { readSettings } from "../../../services/terminal-client/settings.ts"

function place(directory: string) {
  return { places: layout(directory), settings: readSettings({ COUNTERSIGN_DATA_DIR: directory }) }
}
const silent = () => undefined

t.test("a reset removes all files of the development system except the held lock", async (t) => {
  const { places, settings } = place(join(t.testdir(), "data"))
  await prepareDirectory(places)
  writeFileSync(places.lock, "1\n")
  mkdirSync(join(places.directory, "signer"))
  writeFileSync(places.signerSeed, "seed")
  writeFileSync(places.seeded, "{}")
  await emptyDirectory(places, settings, silent)
  t.same(readdirSync(places.directory).toSorted(), ["DEVELOPMENT", "dev.lock", "logs"])
})

t.test("a reset refuses a directory with files of others", async (t) => {
  const { places, settings } = place(t.testdir({ "thesis.txt": "years of work" }))
  await prepareDirectory(places)
  await t.rejects(emptyDirectory(places, settings, silent), {
    code: ExitCode.refused,
    message: /delete it yourself/,
  })
  t.ok(existsSync(join(places.directory, "thesis.txt")))
})

t.test("a data directory with too long a path for sockets is refused", async (t) => {
  t.same(socketPathFaults(layout(`/${"x".repeat(79)}`)), [])
  t.match(socketPathFaults(layout(`/${"x".repeat(80)}`)), [/^COUNTERSIGN_DATA_DIR: .* 1 byte too long/])
})

t.test("a data directory that is a file, or lies below one, is refused", async (t) => {
  const directory = t.testdir({ file: "" })
  t.same(dataDirectoryFaults(directory), [])
  t.same(dataDirectoryFaults(join(directory, "new", "newer")), [])
  for (const path of ["file", "file/below", "file/below/that"]) {
    t.match(dataDirectoryFaults(join(directory, path)), [/^COUNTERSIGN_DATA_DIR: .* is a file/], path)
  }
})
