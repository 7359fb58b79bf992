import t from "tap"
import { RefusalCodeSchema } from "../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import type { Source } from "./import-faults.ts"
import { sourcesIn } from "./sources.ts"

const PREFIX = "REFUSAL_CODE_"
const UNSENT = "UNSPECIFIED"

t.test("every refusal code is named in a test", async (t) => {
  const codes = RefusalCodeSchema.values
    .map(({ name }) => name.slice(PREFIX.length))
    .filter((code) => code !== UNSENT)
  t.ok(codes.length > 40)
  const missing = unnamed(codes, sourcesIn("test"))
  t.strictSame(missing, [], `without a test: ${missing.join(", ")}`)
})

t.test("notices a code without a test", async (t) => {
  const codes = ["ONE_FAULT", "OTHER_FAULT", "ONE"]
  const named: Source = {
    path: "test/a.test.ts",
    text: 't.match(fault, { code: "ONE_FAULT" }) // OTHER_FAULT',
  }
  t.strictSame(unnamed(codes, [named]), ["OTHER_FAULT", "ONE"])
  t.strictSame(unnamed(codes, []), codes)
  const byEnum: Source = { path: "test/b.test.ts", text: "t.equal(code, RefusalCode.OTHER_FAULT)" }
  t.strictSame(unnamed(codes, [named, byEnum]), ["ONE"])
})

/** A code counts as tested where a test names it: as a string, or as a member of the enumeration. */
function unnamed(codes: readonly string[], tests: readonly Source[]): string[] {
  const named = new Set<string>()
  for (const { text } of tests) {
    for (const [, quoted] of text.matchAll(/["'`](?:REFUSAL_CODE_)?([A-Z][A-Z0-9_]*)["'`]/g))
      named.add(quoted ?? "")
    for (const [, member] of text.matchAll(/\bRefusalCode\.([A-Z][A-Z0-9_]*)\b/g)) named.add(member ?? "")
  }
  return codes.filter((code) => !named.has(code))
}
