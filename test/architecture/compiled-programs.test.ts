// The last step of an installation compiles the programs, so that the first start finds their code compiled.
import { readFileSync } from "node:fs"
import { dirname, join, normalize, relative } from "node:path"
import t from "tap"
import { loadedFiles } from "../../scripts/loaded-files.ts"
import { nodeOptionsOf, programs } from "../../services/dev/layout.ts"
import { loadedBy } from "../harness/loaded-modules.ts"
import { ROOT } from "./sources.ts"

const SCRIPT = "scripts/compile-programs.js"

/** The files of a program's own and what they load, without what a command loads when it is named. */
const codeOf = (program: string) =>
  loadedFiles(relative(ROOT, program)).filter((path) => !path.endsWith("/main.ts"))

/** Files that the programs of commands load themselves, some of them when a command is named. `countersign` has a list of its own. */
function filesOfCommands(): string[] {
  const mains = readFileSync(join(ROOT, "scripts/link-commands.js"), "utf8").matchAll(
    /"(\w+\/\w+\/main\.ts)"/g,
  )
  return [...mains]
    .map(([, main = ""]) => main)
    .filter((main) => !main.startsWith("services/cli/"))
    .flatMap((main) => {
      const imported = readFileSync(join(ROOT, main), "utf8").matchAll(/(?:from |import\()"(\.[^"]+\.ts)"/g)
      return [...imported].map(([, path = ""]) => normalize(join(dirname(main), path)))
    })
}

for (const kind of ["plain", "trusted"] as const) {
  t.test(`an installation loads the code of ${kind} programs, and runs none of them`, async (t) => {
    const { status, text, paths } = loadedBy(SCRIPT, [kind])
    t.equal(status, 0)
    t.equal(text, "")
    t.strictSame(
      paths.filter((path) => path.endsWith("/main.ts")),
      [],
      "loading a main file would run it",
    )
    const loaded = new Set(paths)
    for (const [name, program] of Object.entries(programs)) {
      const isTrusted = nodeOptionsOf(name).length > nodeOptionsOf("api").length
      if (isTrusted !== (kind === "trusted")) continue
      const files = codeOf(program)
      t.ok(files.length > 5, name)
      t.strictSame(
        files.filter((path) => !loaded.has(path)),
        [],
        name,
      )
    }
    if (kind === "plain") t.ok(loaded.has("services/dev/start-dev-system.ts"), "the command that starts them")
    if (kind === "plain")
      t.strictSame(
        filesOfCommands().filter((path) => !loaded.has(path)),
        [],
        "programs of commands that the installation makes",
      )
  })
}
