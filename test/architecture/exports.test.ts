// No value is exported that no other file imports. Types may be: a signature names them.
import t from "tap"
import type { Source } from "./import-faults.ts"
import { sourcesIn } from "./sources.ts"

const DECLARED = /^export (?:async )?(?:function\*?|class|const|let) (\w+)/gm
const IMPORTED = /(?:import|export)\s+(?:type\s+)?(?:\{([^}]*)\}|\*[^"]*)\s*from\s+"[^"]*\/([\w.-]+)"/g

/** The end of a call whose last word is a path: `import("./read.ts")`. */
const LOADED = /\/([^/"\n]+)"\)/g

/** Names imported by any file, each with the imported file's name: `read.ts readMessage`; `*`: all of them. */
function importedNames(sources: readonly Source[]): Set<string> {
  return new Set(
    sources.flatMap(({ text }) =>
      [...text.matchAll(IMPORTED)].flatMap(([, names = "*", file]) =>
        names.split(",").map(
          (name) =>
            `${file} ${
              name
                .trim()
                .replace(/^type /, "")
                .split(" as ")[0]
            }`,
        ),
      ),
    ),
  )
}

function unusedExports(sources: readonly Source[], importers: readonly Source[]): string[] {
  const imported = importedNames(importers)
  const named = new Set(
    importers.flatMap(({ text }) => Array.from(text.matchAll(LOADED), ([, file]) => file)),
  )
  return sources.flatMap(({ path, text }) => {
    const file = path.slice(path.lastIndexOf("/") + 1)
    // Loaded as a whole, at run time.
    const isWhole = imported.has(`${file} *`) || named.has(file)
    return [...text.matchAll(DECLARED)]
      .filter(([, name]) => !isWhole && !imported.has(`${file} ${name}`))
      .map(([, name]) => `${path}: ${name}`)
  })
}

t.test("no value is exported that no other file imports", async (t) => {
  const written = ["proto", "signer", "services"].flatMap(sourcesIn)
  const sources = written.filter(({ path }) => !path.startsWith("proto/gen/"))
  const importers = [...written, ...["test", "bench", "scripts", "examples"].flatMap(sourcesIn)]
  t.strictSame(unusedExports(sources, importers), [])
})

t.test("an export without importer is found", async (t) => {
  const source = { path: "a/one.ts", text: "export const used = 1\nexport function unused() {}\n" }
  const importer = { path: "a/two.ts", text: 'import { type T, used } from "./one.ts"' }
  t.strictSame(unusedExports([source], [importer]), ["a/one.ts: unused"])
})
