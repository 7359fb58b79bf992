import { readFileSync } from "node:fs"
import { isBuiltin } from "node:module"
import { join } from "node:path"
import t from "tap"
import { readImports, type Source } from "./import-faults.ts"
import { ROOT, sourcesIn } from "./sources.ts"

type Manifest = Partial<
  Record<"dependencies" | "devDependencies" | "optionalDependencies" | "scripts", Record<string, string>>
>

/** Sample sources in tests import `x` and the like; no package here has a name of one letter. */
const PACKAGE = /^(?:@[a-z0-9-]+\/)?[a-z0-9][a-z0-9.-]+$/

const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Manifest
const { dependencies, devDependencies, optionalDependencies } = manifest
/** Packages that `npm ci` installs. */
const installed = new Set(Object.keys({ ...dependencies, ...optionalDependencies }))
const all = new Set([...installed, ...Object.keys(devDependencies ?? {})])

/** Examples that are bundled for a browser: their scripts install the development packages first. */
const BUNDLED = ["login", "passkey"].flatMap((name) => [`examples/${name}.ts`, `examples/${name}/`])

t.test("`npm ci` installs the packages that the programs and examples import", async (t) => {
  t.strictSame(missing(programs(), installed), [])
})

t.test("no package is in two lists: `npm ci` would leave out what is also for development", async (t) => {
  const lists = [dependencies, devDependencies, optionalDependencies].flatMap((list) =>
    Object.keys(list ?? {}),
  )
  t.strictSame(
    lists.filter((name, index) => lists.indexOf(name) !== index),
    [],
  )
})

t.test("`npm ci` installs no package that tests alone import", async (t) => {
  const used = new Set(packagesIn(programs()).map(({ name }) => name))
  // It runs the programs; none of them imports it.
  used.add("node")
  // The API hands it to browsers.
  used.add("minisearch")
  t.strictSame(
    Object.keys(dependencies ?? {}).filter((name) => !used.has(name)),
    [],
  )
  t.match(readFileSync(join(ROOT, ".npmrc"), "utf8"), /^omit=dev$/m)
})

t.test(
  "`npm ci` or the first `npm test` installs the packages that tests, scripts and benchmarks import",
  async (t) => {
    t.strictSame(missing(["test", "scripts", "bench", "examples"].flatMap(sourcesIn), all), [])
  },
)

t.test("a package that no manifest lists is missing", async (t) => {
  const text =
    'import { x } from "@scope/name/part.js"\nimport y from "known"\nimport "node:fs"\nimport "./z.ts"'
  t.strictSame(missing([{ path: "test/a.ts", text }], new Set(["known"])), ["test/a.ts: @scope/name"])
})

t.test("the script of a bundled example installs the development packages first", async (t) => {
  const { scripts = {} } = manifest
  const names = Object.keys(scripts).filter((name) =>
    BUNDLED.some((bundled) => scripts[name]?.endsWith(`node ${bundled}`)),
  )
  t.strictSame(names, ["example:login", "example:passkey"])
  for (const name of names) t.match(scripts[name], /scripts\/test-packages\.ts && node examples/)
})

/** Sources that run without the development packages. */
function programs(): Source[] {
  const sources = ["proto", "signer", "services", "examples"].flatMap(sourcesIn)
  return sources.filter(({ path }) => !BUNDLED.some((bundled) => path.startsWith(bundled)))
}

function missing(sources: readonly Source[], listed: ReadonlySet<string>): string[] {
  return packagesIn(sources)
    .filter(({ name }) => !listed.has(name))
    .map(({ path, name }) => `${path}: ${name}`)
}

/** The packages that sources import, by file. */
function packagesIn(sources: readonly Source[]): { path: string; name: string }[] {
  return sources.flatMap(({ path, text }) =>
    readImports(text)
      .specifiers.filter((name) => !name.startsWith(".") && !isBuiltin(name))
      .map((specifier) => ({ path, name: packageOf(specifier) }))
      .filter(({ name }) => PACKAGE.test(name)),
  )
}

/** The package of an import such as `@scope/name/part.js`. */
function packageOf(name: string): string {
  return name.split("/", name.startsWith("@") ? 2 : 1).join("/")
}
