import { generateKeyPairSync } from "node:crypto"
import t, { type Test } from "tap"
import { Phase, PhaseSchema } from "../../../../proto/gen/countersign/signer/v1/phase_pb.ts"
import { LogHeads } from "../../../../services/api/signer/log-heads.ts"
import { storedLogHead } from "../../../../services/api/store/log-heads.ts"
import { signCheckpoint } from "../../../../signer/core/log/checkpoint.ts"
import { ED25519, noteSigner } from "../../../../signer/core/log/note-key.ts"
import { freshDatabase } from "../../../harness/database.ts"
import { StubSigner } from "../stub-signer.ts"

const { privateKey } = generateKeyPairSync("ed25519")
const note = (size: number, origin = "log") =>
  Buffer.from(
    signCheckpoint({ origin, size, root: Buffer.alloc(32, size) }, noteSigner(origin, ED25519, privateKey)),
  )

async function fixture(t: Test) {
  const { sql } = await freshDatabase(t)
  const errors: unknown[] = []
  const log = { error: (...line: unknown[]) => errors.push(line), warn: () => {} }
  const signer = new StubSigner()
  const sizeOf = async (origin: string) => (await storedLogHead(sql, origin))?.size
  return { sql, signer, errors, sizeOf, heads: new LogHeads({ signer, sql, log: log as never }) }
}

t.test("the largest head of each log is kept, and shown to the signer at each look", async (t) => {
  const { signer, heads, sizeOf } = await fixture(t)
  await heads.run()
  t.strictSame(signer.shown, [], "no log, no head")
  for (const size of [5, 9, 7]) {
    signer.checkpoint = note(size)
    await heads.run()
  }
  t.equal(await sizeOf("log"), 9, "a smaller one replaces none")
  t.strictSame(signer.shown.map(String), [note(5), note(9)].map(String))
  signer.checkpoint = note(2, "log/1900000000")
  await heads.run()
  t.equal(await sizeOf("log/1900000000"), 2)
  t.equal(await sizeOf("log"), 9, "that of the log before is kept")
  signer.checkpoint = Buffer.from("no note")
  await heads.run()
  t.equal(signer.shown.length, 2)
})

t.test("W75: a head that the signer contradicts is kept as evidence, and reported", async (t) => {
  const { signer, heads, sizeOf, errors } = await fixture(t)
  signer.checkpoint = note(5)
  await heads.run()
  Object.assign(signer, { checkpoint: note(8), isContradicted: true })
  await heads.run()
  t.equal(await sizeOf("log"), 5)
  t.match(errors, [[{ stored: 5, signer: 8 }]])
})

t.test(
  "W75: no head is kept of a signer that is not ready: it decided nothing, and may be an older copy",
  async (t) => {
    const { signer, heads, sizeOf } = await fixture(t)
    for (const { number, localName } of PhaseSchema.values) {
      if (number === Phase.READY || number === Phase.UNSPECIFIED) continue
      Object.assign(signer, { checkpoint: note(6), phase: number })
      await heads.run()
      t.equal(await sizeOf("log"), undefined, localName)
    }
    Object.assign(signer, { checkpoint: note(5), phase: Phase.READY })
    await heads.run()
    t.equal(await sizeOf("log"), 5, "that of the log that took its place")
    Object.assign(signer, { checkpoint: note(7), phase: Phase.UNWITNESSED })
    await heads.run()
    t.strictSame(
      signer.shown.map(String),
      [String(note(5))],
      "the kept one is shown also before witnesses cosigned",
    )
    t.equal(await sizeOf("log"), 5)
  },
)
