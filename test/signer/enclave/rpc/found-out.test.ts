// A head that shows a ledger to be an older copy, while answers of that ledger wait for witnesses.
import { cpSync, rmSync } from "node:fs"
import { join } from "node:path"
import t, { type Test } from "tap"
import { readNote, signNote, writeSignatureLine } from "../../../../signer/core/log/note.ts"
import { signerHandlers } from "../../../../signer/enclave/rpc/index.ts"
import { ApiClient } from "../../../harness/api-client.ts"
import { InProcessBoundary } from "../../../harness/boundary.ts"
import { newWitnessKey, witnessSettingsOf } from "../../../harness/witness-keys.ts"

const witness = newWitnessKey("witness.example/1")

const cosign = (note: Uint8Array) =>
  Buffer.from(writeSignatureLine(signNote(witness, readNote(note)!.text, 1_800_000_000)))

/** A signer over an older copy of its ledger, which is witnessed and whose answers wait, and a head of the newer one. */
async function setBack(t: Test) {
  const boundary = new InProcessBoundary()
  t.teardown(() => boundary.close())
  const client = new ApiClient(boundary)
  const { organizationId, root } = await client.createOrganization()
  const create = (walletName: string) =>
    client.body("ACTIVITY_TYPE_CREATE_WALLET", organizationId, { walletName, accounts: [] })
  await client.send(create("stored"), root)
  const ledger = join(boundary.directory, "signer", "ledger")
  const copy = join(t.testdir(), "copy")
  await boundary.restart(() => cpSync(ledger, copy, { recursive: true }))
  await client.send(create("newer"), root)
  await boundary.signer.signLog()
  const newer = await checkpointOf(boundary)
  Object.assign(boundary.settings, witnessSettingsOf([witness]), {
    COUNTERSIGN_SIGNER_WITNESS_BEFORE_ANSWER: "true",
  })
  await boundary.restart(() => {
    rmSync(ledger, { recursive: true })
    cpSync(copy, ledger, { recursive: true })
  })
  const show = (note: Uint8Array, ...cosignatures: Uint8Array[]) =>
    signerHandlers.showCheckpoint({ checkpoint: note, cosignatures, reports: [] } as never, boundary.signer)
  const cosignNow = async () => {
    await boundary.signer.signLog()
    const note = await checkpointOf(boundary)
    return [note, cosign(note)] as const
  }
  await show(...(await cosignNow()))
  t.equal(boundary.signer.phase().name, "ready", "nobody has shown it the newer head yet")
  return { boundary, client, root, organizationId, newer, show, cosignNow, create }
}

async function checkpointOf({ signer }: InProcessBoundary): Promise<Uint8Array> {
  return (await signerHandlers.readLog({ first: 0n, count: 0 } as never, signer)).checkpoint
}

t.test(
  "W150: outcomes that wait for witnesses do not leave once a newer head is shown, though their wait is over",
  async (t) => {
    const { boundary, newer, show, cosignNow } = await setBack(t)
    t.ok((await boundary.recover("")).outcomes.length > 0)
    boundary.signer.state().log.act("a leaf to wait for")
    const recovered = boundary.recover("").then(
      ({ outcomes }) => `${outcomes.length} outcomes`,
      ({ code }: { code: string }) => code,
    )
    const cosigned = await cosignNow()
    // The wait ends, and before anything else runs the newer head is here.
    void show(...cosigned)
    t.match(await show(newer), { contradicted: true })
    t.match(await recovered, /^LEDGER_(?:OLDER|FORKED)$/)
  },
)

t.test("W150: neither does the answer of an order", async (t) => {
  const { client, root, newer, show, cosignNow, create } = await setBack(t)
  const answered = client.send(create("older"), root)
  // It is decided, and its leaf is there, after a few turns.
  await new Promise((resolve) => setTimeout(resolve, 50))
  const cosigned = await cosignNow()
  void show(...cosigned)
  t.match(await show(newer), { contradicted: true })
  t.match(await answered, { is: "refused", code: /^LEDGER_(?:OLDER|FORKED)$/ })
})

t.test("W150: neither does a page of the archive, whose reading pauses", async (t) => {
  const { boundary, organizationId, newer, show } = await setBack(t)
  const request = { organizationId, afterRecordId: "", activityFingerprints: [] } as never
  const read = () => signerHandlers.readArchive(request, boundary.signer)
  t.ok((await read()).document)
  const page = read()
  t.match(await show(newer), { contradicted: true })
  await t.rejects(page, { code: /^LEDGER_(?:OLDER|FORKED)$/ })
})
