import { create } from "@bufbuild/protobuf"
import t from "tap"
import { BootProofSchema } from "../../../../proto/gen/countersign/api/v1/resources_pb.ts"
import { GetBootProofResponseSchema } from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { BootProofs } from "../../../../services/api/signer/boot-proofs.ts"
import { freshDatabase } from "../../../harness/database.ts"

const KEYS = { old: "04".repeat(130), young: "05".repeat(130) }

/** A signer whose process the test replaces; undefined: it is unreachable. */
async function proofsOf(test: Parameters<typeof freshDatabase>[0]) {
  const { sql } = await freshDatabase(test)
  const signer: { process: keyof typeof KEYS | undefined; asked: number } = { process: "old", asked: 0 }
  const warned: unknown[] = []
  const getBootProof = async () => {
    signer.asked += 1
    if (signer.process === undefined) throw new Error("away")
    const ephemeralPublicKeyHex = KEYS[signer.process]
    const createdAt = { seconds: "1767225600", nanos: "0" }
    return create(GetBootProofResponseSchema, {
      bootProof: create(BootProofSchema, { ephemeralPublicKeyHex, createdAt, owner: signer.process }),
    })
  }
  const log = { warn: (fields: unknown) => warned.push(fields) }
  const open = () => new BootProofs({ sql, signer: { getBootProof }, log: log as never })
  return { sql, signer, warned, open }
}

t.test("stores a process's proof once, and finds it after the process has ended", async (t) => {
  const { sql, signer, warned, open } = await proofsOf(t)
  const proofs = open()
  await proofs.keep(KEYS.old)
  await proofs.keep(KEYS.old)
  t.equal(signer.asked, 1)
  signer.process = "young"
  t.match(await proofs.latest(), { owner: "young" })
  signer.process = undefined
  for (const reader of [proofs, open()]) {
    t.match(await reader.find(KEYS.old), { owner: "old", createdAt: { seconds: "1767225600" } })
    t.match(await reader.find(KEYS.young), { owner: "young" })
  }
  t.match(await sql`select created_ms as ms from boot_proofs`, [{ ms: 1_767_225_600_000n }, {}])
  t.strictSame(warned, [])
})

t.test("a proof that cannot be stored delays no activity, and is tried again", async (t) => {
  const { signer, warned, open } = await proofsOf(t)
  const proofs = open()
  signer.process = undefined
  await proofs.keep(KEYS.old)
  t.equal(warned.length, 1)
  signer.process = "old"
  await proofs.keep(KEYS.old)
  t.match(await proofs.find(KEYS.old), { owner: "old" })
  t.equal(warned.length, 1)
})

t.test("does not return one process's proof as another's", async (t) => {
  const { signer, warned, open } = await proofsOf(t)
  signer.process = "young"
  const proofs = open()
  t.equal(await proofs.find(KEYS.old), undefined)
  await proofs.keep(KEYS.old)
  t.match(warned, [{ ephemeralKey: KEYS.old }])
})
