import { chmodSync, cpSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import t, { type Test } from "tap"
import type { RefusalName } from "../../signer/core/refusal.ts"
import { signParams } from "../harness/api-seat.ts"
import { stampWith } from "../harness/stamper.ts"
import { refused, type Stage, stage } from "./stage.ts"
import { operatorHandlers, signerHandlers } from "../../signer/enclave/rpc/index.ts"

const { getStatus } = operatorHandlers
const { getOrganizationHead, readArchive } = signerHandlers

const SIGN = "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2"

function places({ boundary }: Stage) {
  const home = join(boundary.directory, "signer")
  const ledger = join(home, "ledger")
  return { home, seed: join(home, "root-seed"), ledger, database: join(ledger, "ledger.sqlite") }
}

/** The victim's own signature, with everything it needs. */
function wish({ seat, acme, address }: Stage) {
  const body = seat.body(SIGN, acme.organizationId, signParams(address))
  return () => {
    const document = seat.documents.get(acme.organizationId)!
    return seat.order(body, stampWith(acme.root, body), { document, records: [...seat.records.values()] })
  }
}

/** Stops the signer, changes something behind its back, and starts it again. */
async function behindItsBack({ boundary }: Stage, change: () => void): Promise<void> {
  await boundary.signer.close()
  change()
  await boundary.restart()
}

/** Nothing is answered but why. */
async function isHalted(t: Test, scene: Stage, code: RefusalName): Promise<void> {
  const { boundary, acme } = scene
  const { organizationId } = acme
  t.match(await wish(scene)(), { is: "refused", code })
  t.match(await getStatus({}, boundary.signer), { phase: code, explanation: /\w/ })
  await t.rejects(boundary.recover(""), { code })
  await t.rejects(boundary.createSetupCode(acme.root.publicKeyHex), { code })
  await t.rejects(readArchive({ organizationId, afterRecordId: "" } as never, boundary.signer), { code })
  const nonce = new Uint8Array(16)
  await t.rejects(getOrganizationHead({ organizationId, nonce } as never, boundary.signer), { code })
  await boundary.acknowledge({ organizationId })
}

t.test(
  "A3: without its ledger the signer answers nothing, and answers again once the ledger is restored",
  async (t) => {
    const scene = await stage(t)
    const { ledger } = places(scene)
    await behindItsBack(scene, () => renameSync(ledger, `${ledger}.away`))
    await isHalted(t, scene, "LEDGER_MISSING")
    await behindItsBack(scene, () => {
      rmSync(ledger, { recursive: true, force: true })
      renameSync(`${ledger}.away`, ledger)
    })
    t.match(await wish(scene)(), { is: "outcome" })
  },
)

t.test("A3: with another deployment's ledger or root seed the signer answers nothing", async (t) => {
  const scene = await stage(t)
  const elsewhere = await stage(t)
  await elsewhere.boundary.signer.close()
  const [own, foreign] = [places(scene), places(elsewhere)]
  await behindItsBack(scene, () => {
    renameSync(own.ledger, `${own.ledger}.away`)
    cpSync(foreign.ledger, own.ledger, { recursive: true })
  })
  await isHalted(t, scene, "LEDGER_FOREIGN")
  await behindItsBack(scene, () => {
    rmSync(own.ledger, { recursive: true })
    renameSync(`${own.ledger}.away`, own.ledger)
    renameSync(own.seed, `${own.seed}.away`)
    cpSync(foreign.seed, own.seed)
    chmodSync(own.seed, 0o600)
  })
  await isHalted(t, scene, "LEDGER_FOREIGN")
  await behindItsBack(scene, () => rmSync(own.seed))
  await isHalted(t, scene, "LEDGER_FOREIGN")
  await behindItsBack(scene, () => renameSync(`${own.seed}.away`, own.seed))
  t.match(await wish(scene)(), { is: "outcome" })
})

t.test("A3: with a root seed readable by others, or truncated, the signer answers nothing", async (t) => {
  const scene = await stage(t)
  const { seed } = places(scene)
  for (const mode of [0o640, 0o604, 0o620, 0o660, 0o777]) {
    await behindItsBack(scene, () => chmodSync(seed, mode))
    await isHalted(t, scene, "ROOT_SEED_UNUSABLE")
  }
  await behindItsBack(scene, () => chmodSync(seed, 0o600))
  t.match(await wish(scene)(), { is: "outcome" })
  await behindItsBack(scene, () => truncateSync(seed, 31))
  await isHalted(t, scene, "ROOT_SEED_UNUSABLE")
})

t.test("A3: with a ledger truncated, emptied or overwritten the signer answers nothing", async (t) => {
  const scene = await stage(t)
  const { ledger, database } = places(scene)
  await scene.boundary.signer.close()
  cpSync(ledger, `${ledger}.good`, { recursive: true })
  const restore = () => {
    rmSync(ledger, { recursive: true })
    cpSync(`${ledger}.good`, ledger, { recursive: true })
  }
  const spoils: (() => void)[] = [
    () => truncateSync(database, 0),
    () => truncateSync(database, 4096),
    () => writeFileSync(database, "no database at all"),
    () => writeFileSync(join(ledger, "ledger.witness"), Buffer.alloc(40)),
    () => rmSync(join(ledger, "ledger.witness")),
  ]
  for (const spoil of spoils) {
    await behindItsBack(scene, () => {
      restore()
      spoil()
    })
    await isHalted(t, scene, "LEDGER_DAMAGED")
  }
  await behindItsBack(scene, restore)
  t.match(await wish(scene)(), { is: "outcome" })
})

t.test(
  "A3: an organization with an altered or lost row is refused; other organizations are not",
  async (t) => {
    const scene = await stage(t)
    const { seat, acme } = scene
    const other = await seat.tenant("Other")
    const { ledger, database } = places(scene)
    await scene.boundary.signer.close()
    cpSync(ledger, `${ledger}.good`, { recursive: true })
    const edits = [
      "DELETE FROM entry WHERE organization_id = ? AND kind = 'fingerprint'",
      "DELETE FROM entry WHERE organization_id = ? AND kind = 'address'",
      "UPDATE entry SET value = zeroblob(73) WHERE organization_id = ? AND kind = 'address'",
      "UPDATE entry SET expires_ms = 1 WHERE organization_id = ? AND kind = 'fingerprint'",
      "UPDATE entry SET key = 'x' || key WHERE organization_id = ? AND kind = 'archive-record'",
    ]
    const theirs = seat.body("ACTIVITY_TYPE_CREATE_WALLET", other.organizationId, {
      walletName: "W",
      accounts: [],
    })
    for (const edit of edits) {
      await behindItsBack(scene, () => {
        rmSync(ledger, { recursive: true })
        cpSync(`${ledger}.good`, ledger, { recursive: true })
        const tables = new DatabaseSync(database)
        tables.prepare(edit).run(acme.organizationId)
        tables.close()
      })
      t.match(await wish(scene)(), { is: "refused", code: "LEDGER_DAMAGED" }, edit)
      t.match(await seat.offer(theirs, stampWith(other.root, theirs)), { is: "outcome" }, "another's goes on")
    }
  },
)

t.test(
  "A3: a rolled-back ledger is detected by its witness, else by any newer document or record",
  async (t) => {
    const scene = await stage(t)
    const { boundary, seat, acme } = scene
    const { ledger, database } = places(scene)
    const older = seat.documents.get(acme.organizationId)!
    await boundary.signer.close()
    cpSync(ledger, `${ledger}.old`, { recursive: true })
    await boundary.restart()
    await seat.user(acme, "alice")
    t.match(await wish(scene)(), { is: "outcome" }, "the present one")
    await behindItsBack(scene, () => {
      rmSync(`${database}-wal`, { force: true })
      cpSync(join(`${ledger}.old`, "ledger.sqlite"), database)
    })
    await isHalted(t, scene, "LEDGER_DAMAGED")
    await behindItsBack(scene, () => {
      rmSync(ledger, { recursive: true })
      cpSync(`${ledger}.old`, ledger, { recursive: true })
    })
    await refused(t, scene, "DOCUMENT_ROLLED_BACK", wish(scene), "the newer document is the evidence")
    seat.documents.set(acme.organizationId, older)
    t.match(await wish(scene)(), { is: "outcome" }, "not promised: older throughout, and nothing newer shown")
  },
)
