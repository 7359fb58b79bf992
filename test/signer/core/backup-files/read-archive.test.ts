// The commands' words on the pins that a backup was compared with: each member of them counts.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { clone, toJsonString } from "@bufbuild/protobuf"
import t, { type Test } from "tap"
import { BackupPartKind } from "../../../../proto/gen/countersign/state/v1/backup_pb.ts"
import { type Pins, PinsSchema } from "../../../../proto/gen/countersign/state/v1/setup_pb.ts"
import { jsonOf, linesOf, readArchive } from "../../../../signer/core/backup-files/read-archive.ts"
import { deployment, part } from "../backup/parts.ts"

const own = deployment()
const bytes = await part("ab".repeat(16), BackupPartKind.SIGNER, { "root-seed": Buffer.alloc(32) })
const archive = Buffer.concat([bytes, own.manifest("ab".repeat(16), [[BackupPartKind.SIGNER, bytes]])])

/** What is said after a comparison with these pins. */
async function compared(t: Test, pins: Pins | undefined) {
  const folder = t.testdir({ "a.backup": archive })
  const [file, pinsFile] = [join(folder, "a.backup"), join(folder, "pins.json")]
  if (pins) writeFileSync(pinsFile, toJsonString(PinsSchema, pins))
  const read = await readArchive({ files: [file], pins: pins && pinsFile, head: undefined })
  return { line: linesOf(read)[0] ?? "", json: jsonOf(read) as { pinsThatDiffer?: string[] } }
}

t.test("a backup is said to be as the pins only if all of them are", async (t) => {
  const same = await compared(t, own.pins)
  t.match(same.line, /, pins [0-9a-f]{64}, as given$/)
  t.strictSame(same.json.pinsThatDiffer, [])
  const none = await compared(t, undefined)
  t.match(none.line, /, compared with none: --pins$/)
  t.notOk("pinsThatDiffer" in none.json)
  const all: Pins = Object.assign(deployment(2).pins, {
    fetcherPublicKey: "04ab",
    onRampPublicKey: "02ab",
    authProxyPublicKey: "03ab",
    ledgerEpoch: 1_700_000_000n,
    lanes: 2,
  })
  const found = { ofSeed: [] as string[], others: [] as string[] }
  for (const { localName } of PinsSchema.fields) {
    const pins = Object.assign(clone(PinsSchema, own.pins), { [localName]: all[localName as keyof Pins] })
    const said = await compared(t, pins).catch((error: Error & { code: string }) => error)
    if (said instanceof Error) {
      t.match(said, { code: "BACKUP_FOREIGN", message: `they differ in ${localName}. ` }, localName)
      found.ofSeed.push(localName)
      continue
    }
    found.others.push(localName)
    const sentence = `. The keys of its root seed are as given; ${localName} changed between the pins and the backup`
    t.ok(said.line.endsWith(sentence), said.line)
    t.strictSame(said.json.pinsThatDiffer, [localName])
  }
  t.strictSame(found, {
    ofSeed: ["deploymentId", "signerPublicKey", "notarizerPublicKey"],
    others: ["fetcherPublicKey", "onRampPublicKey", "authProxyPublicKey", "ledgerEpoch", "lanes"],
  })
})
