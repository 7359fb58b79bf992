import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { settingNames } from "../../signer/core/settings/settings.ts"
import { otelNames } from "../../services/common/tracing/settings.ts"
import { activityTypes } from "../../proto/catalog.ts"
import { anchorsOf, documents, linksOf, pathsOf, ROOT, textOf } from "./markdown.ts"
import { queryPaths } from "../../proto/operations.ts"

t.test("every link leads to a file, and to a heading where it names one", async (t) => {
  const faults = documents.flatMap((file) =>
    linksOf(file).flatMap(({ path, anchor }) => {
      if (!existsSync(join(ROOT, path))) return `${file}: ${path} is not there`
      return anchor === "" || anchorsOf(path).includes(anchor) ? [] : `${file}: ${path} has no #${anchor}`
    }),
  )
  t.strictSame(faults, [])
})

t.test("every path that a document names exists", async (t) => {
  const faults = documents.flatMap((file) =>
    pathsOf(file).flatMap((path) =>
      existsSync(join(ROOT, path)) || globSync(path, { cwd: ROOT }).length > 0 ? [] : `${file}: ${path}`,
    ),
  )
  t.strictSame(faults, [])
})

t.test("the auditor's reading order leads to every file of the signer", async (t) => {
  const named = pathsOf("signer/README.md")
  const files = globSync(["signer/**/*.ts", "proto/countersign/signer/**/*.proto"], { cwd: ROOT })
  t.ok(files.length > 100)
  t.strictSame(
    files.filter((file) => !named.some((path) => file === path || file.startsWith(`${path}/`))),
    [],
  )
})

t.test("every claim has an id of its own, a file and tests that exist", async (t) => {
  const claims = claimsOf("docs/THREAT_MODEL.md")
  t.ok(claims.length > 20)
  const ids = claims.map(({ id }) => id)
  t.strictSame([...new Set(ids)], ids)
  t.strictSame(claims.flatMap(faultsOfClaim), [])
})

t.test("the check reports every fault of a claim", async (t) => {
  const tests = '`test/docs/documents.test.ts` "the check reports every fault of a claim"'
  const row = (claim: Partial<Claim>) =>
    faultsOfClaim({ id: "X1", file: "`signer/enclave/main.ts`", tests, ...claim })
  t.strictSame(row({}), [])
  t.match(row({ file: "" }), ["X1 names no file"])
  t.match(row({ tests: "" }), ["X1 has no test"])
  t.match(row({ tests: '`test/docs/none.test.ts` "x"' }), [/X1: test\/docs\/none.test.ts is not there/])
  t.match(row({ tests: `\`test/docs/markdown.ts\` "${["no", "such"].join(" ")}"` }), [/has no title/])
})

t.test("every setting is explained, and no unknown one", async (t) => {
  const text = textOf("docs/OPERATIONS.md")
  const known = new Set<string>(settingNames)
  t.strictSame(
    [...known, ...otelNames].filter((name) => !text.includes(`\`${name}\``)),
    [],
  )
  const named = new Set(
    documents.flatMap((file) => textOf(file).match(/\b(?:COUNTERSIGN|OTEL)_[A-Z_]*[A-Z]\b/g) ?? []),
  )
  t.strictSame(
    [...named].filter(
      (name) => !known.has(name) && !otelNames.includes(name) && name !== "COUNTERSIGN_SIGNER",
    ),
    [],
  )
})

t.test("the changelog names every operation that is served", async (t) => {
  const changelog = textOf("CHANGELOG.md")
  const served = [...activityTypes.values(), ...queryPaths.values()].filter((entry) => entry.served)
  t.strictSame(
    served.map(({ path }) => path).filter((path) => !changelog.includes(`\`${path}\``)),
    [],
  )
})

t.test("every package of the signer has a decision", async (t) => {
  const { dependencies } = JSON.parse(textOf("package.json")) as { dependencies: Record<string, string> }
  const decisions = globSync("docs/adr/*.md", { cwd: ROOT }).map(textOf).join("\n")
  const imported = new Set(
    globSync(["signer/**/*.ts", "proto/*.ts"], { cwd: ROOT }).flatMap((file) =>
      [...textOf(file).matchAll(/(?:from|import\() ?"((?:@[\w-]+\/)?[\w-]+)(?:\/[^"]*)?"/g)].map(
        ([, name = ""]) => name,
      ),
    ),
  )
  const packages = [...imported].filter((name) => Object.hasOwn(dependencies, name))
  t.ok(packages.length >= 6)
  for (const name of packages) {
    t.match(decisions, name, `${name} is decided on`)
    t.match(decisions, dependencies[name] ?? "", `${name} in the version that is locked`)
  }
})

type Claim = { id: string; file: string; tests: string }

/** Sections `#### id` with the parts **Claim.**, **Held by.**, **File.** and **Tests.** */
function claimsOf(document: string): Claim[] {
  const sections = textOf(document)
    .split(/^#### /m)
    .slice(1)
  return sections.map((section) => {
    const id = section.split("\n")[0] ?? ""
    const [, file = ""] = /^\*\*File\.\*\*((?:.+\n)*)/m.exec(section) ?? []
    const [, tests = ""] = /^\*\*Tests\.\*\*\n\n((?:- .*\n)*)/m.exec(section) ?? []
    return { id, file, tests }
  })
}

function faultsOfClaim({ id, file, tests }: Claim): string[] {
  const faults = /`[^`]+`/.test(file) ? [] : [`${id} names no file`]
  const named = [...tests.matchAll(/`([^`]+)` "([^"]+)"/g)]
  if (named.length === 0) faults.push(`${id} has no test`)
  for (const [, path = "", title = ""] of named) {
    if (!existsSync(join(ROOT, path))) faults.push(`${id}: ${path} is not there`)
    else if (!hasTitle(path, title)) faults.push(`${id}: ${path} has no title "${title}"`)
  }
  return faults
}

function hasTitle(path: string, title: string): boolean {
  const source = readFileSync(join(ROOT, path), "utf8")
  return [`"${title}"`, `\`${title}\``].some((written) => source.includes(written))
}
