// The contract that callers and stored data rely on: a change that breaks it fails `npm run check`.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import t, { type Test } from "tap"
import { brokenPromises, PROMISED, renewPromises } from "../../scripts/promises.ts"
import { casesOf, isLong } from "../harness/long.ts"
import { ROOT } from "./sources.ts"

/** A change of one file of proto/, which later releases must not make, with what buf says. */
type Break = { file: string; from: string | RegExp; to: string; reported: RegExp }

const BREAKS: { [what: string]: Break } = {
  "a field of a stored message is renumbered": {
    file: "proto/countersign/state/v1/record.proto",
    from: /^( {2}\w+ \w+) = 1;$/m,
    to: "$1 = 901;",
    reported: /Previously present field "1"/,
  },
  "a field of the boundary is renamed": {
    file: "proto/countersign/signer/v1/operator.proto",
    from: "string public_key = 1;",
    to: "string key = 1;",
    reported: /changed name from "public_key" to "key"/,
  },
  "a field changes its type": {
    file: "proto/countersign/signer/v1/operator.proto",
    from: "string public_key = 1;",
    to: "bool public_key = 1;",
    reported: /"public_key".* changed type from "string" to "bool"/,
  },
  "a field is deleted": {
    file: "proto/countersign/signer/v1/operator.proto",
    from: "string public_key = 1;",
    to: "",
    reported: /Previously present field "1" with name "public_key"/,
  },
  "a refusal code gets another number": {
    file: "proto/countersign/signer/v1/refusal.proto",
    from: "REFUSAL_CODE_STAMP_MISSING = 1 ",
    to: "REFUSAL_CODE_STAMP_MISSING = 9001 ",
    reported: /Previously present enum value/,
  },
}

function copyOfContract(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), "cs-promises-"))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  for (const path of ["buf.yaml", "proto"]) cpSync(join(ROOT, path), join(folder, path), { recursive: true })
  return folder
}

function change(folder: string, { file, from, to }: Break): void {
  const before = readFileSync(join(folder, file), "utf8")
  const after = before.replace(from, to)
  if (after === before) throw new Error(`${file}: nothing matches ${from}`)
  writeFileSync(join(folder, file), after)
}

t.test("the contract as it is breaks nothing that was promised", async (t) => {
  t.equal(await brokenPromises(copyOfContract(t)), undefined)
})

// The last test breaks it by a deletion.
for (const [what, broken] of casesOf(1, Object.entries(BREAKS))) {
  t.test(`the comparison with the promised contract fails when ${what}`, async (t) => {
    const folder = copyOfContract(t)
    change(folder, broken)
    t.match(await brokenPromises(folder), broken.reported)
  })
}

t.test("a release records an addition, which the next one must not take back", async (t) => {
  const folder = copyOfContract(t)
  const file = "proto/countersign/signer/v1/operator.proto"
  const addition = { file, from: "string public_key = 1;", to: "string public_key = 1;\n  bool added = 901;" }
  change(folder, { ...addition, reported: /^$/ })
  t.equal(await renewPromises(folder), undefined)
  if (isLong) t.equal(await brokenPromises(folder), undefined)
  cpSync(join(ROOT, file), join(folder, file))
  t.match(await brokenPromises(folder), /Previously present field "901" with name "added"/)
})

t.test("a release that breaks the contract leaves the promised one as it was", async (t) => {
  const folder = copyOfContract(t)
  change(folder, BREAKS["a field is deleted"]!)
  t.match(await renewPromises(folder), /Previously present field/)
  t.ok(readFileSync(join(folder, PROMISED)).equals(readFileSync(join(ROOT, PROMISED))))
  t.equal(await renewPromises(folder, { breaks: true }), undefined, "unless it says that it means to")
  if (isLong) t.equal(await brokenPromises(folder), undefined)
})
