// Texts of callers are read by the strict reader (proto/strict-json.ts): JSON.parse takes the last of two members with one name, so that
// an approver would be shown, or a policy would decide, another value than the one that is used.
import t from "tap"
import { sourcesIn } from "./sources.ts"

/** Any use of a lenient reader: JSON.parse, under another name too, the one of protobuf, and that of a reply. */
const LENIENT = /\bJSON\s*(?:\.\s*parse|\[)|[=(] ?JSON\b(?!\.)|\bfromJsonString\b|\.json\(\)/

/** Files that read JSON leniently, each with its reason. */
const READERS: Readonly<Record<string, string>> = {
  "proto/strict-json.ts": "the strict reader itself, which checks what it parsed",
  "proto/json-scan.ts": "one string of a text that was scanned",
  "signer/core/backup-files/input.ts": "pins that the operator names, which are then compared as bytes",
  "signer/core/backup-host/host-backup.ts": "what this release's own programs print",
  "signer/core/payload/json.ts": "a text that the strict reader has read, with rounded numbers as null",
  "signer/core/settings/argv.ts": "a list of texts among the operator's settings",
  "signer/enclave/provision/code.ts": "package.json of this release, whose files are compared with its list",
  "signer/operator/audit-send/send.ts": "its own file, of a number and a digest",
  "signer/operator/audit/tail.ts": "records that the signer's process wrote, for the operator's eyes",
  "signer/operator/backup/rehearse.ts": "what the signer that it started prints",
  "signer/operator/holders/page/script.ts": "in the browser, replies of the page's own process",
  "signer/process/own-version.ts": "package.json of this release",
}

const readersIn = (folders: readonly string[]) =>
  folders
    .flatMap(sourcesIn)
    .filter(({ path, text }) => !path.startsWith("proto/gen/") && LENIENT.test(code(text)))
    .map(({ path }) => path)

/** The text without comments, which name the lenient reader. */
const code = (text: string) => text.replaceAll(/\/\*[^]*?\*\/|\/\/.*/g, "")

t.test("the contract and the signer read JSON strictly, but for these files", async (t) => {
  t.strictSame(readersIn(["proto", "signer"]).toSorted(), Object.keys(READERS).toSorted())
})

t.test("a lenient reader is found under each of its names", async (t) => {
  for (const text of [
    "JSON.parse(x)",
    "lines.map(JSON.parse)",
    'JSON["parse"](x)',
    "const { parse } = JSON\n",
    "read(JSON)",
    "fromJsonString(PinsSchema, text)",
    "await response.json()",
  ])
    t.ok(LENIENT.test(code(text)), text)
  for (const text of ["JSON.stringify(x)", "// JSON.parse", "/** As JSON.parse */", "parseStrictJson(x)"])
    t.notOk(LENIENT.test(code(text)), text)
})
