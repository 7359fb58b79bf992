// A hostile operator edits the audit stream: an auditor who has the pins finds each change by the log.
import t from "tap"
import { readExportHeader, writeExportHeader } from "../../../../signer/core/audit/export.ts"
import { NO_RECORD, recordDigest, writeRecord } from "../../../../signer/core/audit/record.ts"
import { AuditedSigner } from "../../../harness/audited.ts"
import { newKey } from "../../../harness/stamper.ts"

/** A signer with some acts. */
async function setup(t: Tap) {
  const signer = await AuditedSigner.start()
  t.teardown(() => signer.close())
  for (let act = 0; act < 4; act++) await signer.operator.setupCode(newKey().publicKeyHex)
  return signer
}
type Tap = { teardown: (run: () => unknown) => void }

/** The chain of these records made anew, each as another one may be. */
function remade(lines: readonly string[], change: (json: { [name: string]: unknown }) => void): string[] {
  let previous = NO_RECORD
  return lines.map((line, at) => {
    const json = JSON.parse(line) as { [name: string]: unknown }
    Object.assign(json, { number: at + 1, previous })
    change(json)
    const written = JSON.stringify(json)
    previous = recordDigest(written)
    return written
  })
}

t.test(
  "W135: records as they were written are verified, across starts, with the log's proof alone",
  async (t) => {
    const signer = await setup(t)
    await signer.restart()
    await signer.operator.setupCode(newKey().publicKeyHex)
    t.same(await signer.found(), [])
    const binding = await signer.binding()
    t.same(readExportHeader(writeExportHeader(binding)), binding, "the proof in an export")
    t.ok(signer.lines.length > 10)
  },
)

t.test("W135: each edit, omission and truncated end of the stream is named", async (t) => {
  const signer = await setup(t)
  const { lines } = signer
  const binding = await signer.binding()
  const found = (changed: readonly string[]) => signer.foundWith(binding, changed)
  const middle = Math.floor(lines.length / 2)
  for (let at = 0; at < lines.length; at++) {
    const edited = lines.with(at, lines[at]!.replace(/"time":"(\d{3})\d/, '"time":"$19'))
    const isLast = at === lines.length - 1
    t.same(found(edited), [isLast ? "AUDIT_REMADE" : "AUDIT_EDITED"], `record ${at + 1} changed`)
    const without = lines.toSpliced(at, 1)
    t.same(found(without), [isLast ? "AUDIT_TRUNCATED" : "AUDIT_MISSING"], `record ${at + 1} left out`)
  }
  for (let length = 0; length < lines.length; length++)
    t.same(found(lines.slice(0, length)), ["AUDIT_TRUNCATED"], `cut to ${length}`)
  t.same(found(lines.toSpliced(middle, 0, lines[middle]!)), ["AUDIT_MISSING"], "a record twice")
  t.same(
    found(lines.with(middle, lines[middle]!.slice(0, 30))).includes("AUDIT_MALFORMED"),
    true,
    "a torn line",
  )
})

t.test(
  "W135: a chain that was made anew is found by the log, also behind a gap that nobody signed",
  async (t) => {
    const signer = await setup(t)
    const { lines } = signer
    const binding = await signer.binding()
    const made = remade(lines, (json) => json["kind"] === "act" && Object.assign(json, { call: "getStatus" }))
    t.same(signer.foundWith(binding, made), ["AUDIT_REMADE"])
    t.same(
      signer.foundWith(
        binding,
        remade(lines.toSpliced(3, 2), () => undefined),
      ),
      ["AUDIT_TRUNCATED"],
    )
    // The last record's digest is known: a forged gap claims that it could not be written.
    const kept = lines.slice(0, 3)
    const last = {
      number: lines.length + 1,
      timeMs: 1_800_000_000_000,
      previous: recordDigest(lines.at(-1)!),
    }
    const after = recordDigest(kept.at(-1)!)
    const gap = writeRecord(last, { kind: "gap", omitted: lines.length - 3, after })
    t.same(signer.foundWith(binding, [...kept, gap]), ["AUDIT_REMADE"])
  },
)

t.test(
  "W135: a signer whose records were changed while it was stopped says so in the next record",
  async (t) => {
    for (const change of [
      (lines: string[]) => lines.slice(0, -2),
      (lines: string[]) =>
        remade(lines, (json) => json["kind"] === "act" && Object.assign(json, { call: "lock" })),
      () => [],
    ]) {
      const signer = await setup(t)
      await signer.restart(() => signer.rewrite(change(signer.lines)))
      await signer.operator.setupCode(newKey().publicKeyHex)
      t.same(await signer.found(), ["AUDIT_BROKEN"])
      const broken = signer.lines.find((line) => line.includes('"broken"')) ?? ""
      const { number } = JSON.parse(broken) as { number: number }
      t.same(await signer.found(signer.lines, number + 1), [], "what follows is verified from there")
      const hidden = remade(
        signer.lines.filter((line) => line !== broken),
        () => undefined,
      )
      t.not((await signer.found(hidden)).length, 0, "the record about it cannot be taken out")
    }
  },
)

t.test("W135: an older proof, other pins, a changed leaf and a kept later head are named", async (t) => {
  const signer = await setup(t)
  const older = await signer.binding()
  const before = signer.lines
  await signer.operator.setupCode(newKey().publicKeyHex)
  const binding = await signer.binding()
  const { lines } = signer
  t.same(signer.foundWith(older, before), [], "it was right when it was made")
  t.same(signer.foundWith(older, before, { kept: [binding.checkpoint] }), ["AUDIT_OLDER"])
  t.same(signer.foundWith(binding, lines, { kept: [binding.checkpoint] }), [])
  const leaves = binding.leaves.with(0, Buffer.from(binding.leaves[0]!).fill(7, 30))
  t.same(signer.foundWith({ ...binding, leaves }, lines), ["AUDIT_LEAVES_CHANGED"])
  t.same(signer.foundWith({ ...binding, leaves: binding.leaves.slice(0, -1) }, lines), [
    "AUDIT_LEAVES_CHANGED",
  ])
  t.same(
    signer.foundWith({ ...binding, first: binding.first + binding.leaves.length, leaves: [] }, lines),
    ["AUDIT_LEAVES_CHANGED"],
    "without the leaves",
  )
  const other = await setup(t)
  t.same(other.foundWith(binding, lines), ["AUDIT_FOREIGN"])
  const forged = binding.checkpoint.replace(/^\d+$/m, "1")
  t.same(signer.foundWith({ ...binding, checkpoint: forged }, lines), ["AUDIT_FOREIGN"])
})
