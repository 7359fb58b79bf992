import t from "tap"
import { RefusalCodeSchema } from "../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import type { Source } from "./import-faults.ts"
import { sourcesIn } from "./sources.ts"

const PREFIX = "REFUSAL_CODE_"
const UNSENT = "UNSPECIFIED"

const codes = RefusalCodeSchema.values
  .map(({ name }) => name.slice(PREFIX.length))
  .filter((code) => code !== UNSENT)

/** What stands here lists names or hands them on, and expects nothing: naming a code in it tests nothing. */
const LISTS = ["test/harness/", "test/contract/tables/", "test/architecture/", "test/docs/"]

t.test("every refusal code is expected by a test", async (t) => {
  t.ok(codes.length > 40)
  const tests = sourcesIn("test").filter(({ path }) => !LISTS.some((list) => path.startsWith(list)))
  const missing = unnamed(codes, tests)
  t.strictSame(missing, [], `without a test: ${missing.join(", ")}`)
})

t.test("every refusal code is made by the signer", async (t) => {
  const missing = unnamed(codes, sourcesIn("signer"))
  t.strictSame(missing, [], `made nowhere: ${missing.join(", ")}`)
})

t.test("notices a code without a test", async (t) => {
  const some = ["ONE_FAULT", "OTHER_FAULT", "ONE"]
  const named: Source = {
    path: "test/a.test.ts",
    text: 't.match(fault, { code: "ONE_FAULT" }) // "OTHER_FAULT"\n/* as "ONE"\n * and "OTHER_FAULT" */ const url = "https://ONE"',
  }
  t.strictSame(unnamed(some, [named]), ["OTHER_FAULT", "ONE"], "a comment expects nothing")
  t.strictSame(unnamed(some, []), some)
  const byEnum: Source = { path: "test/b.test.ts", text: "t.equal(code, RefusalCode.OTHER_FAULT)" }
  t.strictSame(unnamed(some, [named, byEnum]), ["ONE"])
  const inTitle: Source = { path: "test/c.test.ts", text: 't.test("refuses with ONE", async () => {})' }
  t.strictSame(unnamed(some, [named, byEnum, inTitle]), ["ONE"], "nor does a title")
})

/** A code is named where it is a string by itself, or a member of the enumeration; not in a comment. */
function unnamed(wanted: readonly string[], sources: readonly Source[]): string[] {
  const named = new Set<string>()
  for (const { text } of sources) {
    const code = withoutComments(text)
    for (const [, quoted] of code.matchAll(/["'`](?:REFUSAL_CODE_)?([A-Z][A-Z0-9_]*)["'`]/g))
      named.add(quoted ?? "")
    for (const [, member] of code.matchAll(/\bRefusalCode\.([A-Z][A-Z0-9_]*)\b/g)) named.add(member ?? "")
  }
  return wanted.filter((code) => !named.has(code))
}

/** Comments of a line of their own or behind a blank, and those over several lines. */
function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[^]*?\*\//g, "").replaceAll(/(^|\s)\/\/.*$/gm, "$1")
}
