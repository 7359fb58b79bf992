import { chmodSync, cpSync, existsSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import t, { type Test } from "tap"
import { Phase } from "../../proto/gen/countersign/signer/v1/phase_pb.ts"
import { RefusalCode } from "../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import type { RefusalName } from "../../signer/core/refusal.ts"
import { signParams } from "../harness/api-client.ts"
import { stampWith } from "../harness/stamper.ts"
import { type Fixture, setup } from "./setup.ts"
import { operatorHandlers, signerHandlers } from "../../signer/enclave/rpc/index.ts"

const { getStatus } = operatorHandlers
const { getOrganizationHead, readArchive } = signerHandlers

const SIGN = "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2"

function places({ boundary }: Fixture) {
  const home = join(boundary.directory, "signer")
  const ledger = join(home, "ledger")
  return { home, seed: join(home, "root-seed"), ledger, database: join(ledger, "ledger.sqlite") }
}

/** The victim's own request for a signature, with its document and records. */
function request({ client, acme, address }: Fixture) {
  const body = client.body(SIGN, acme.organizationId, signParams(address))
  return () => {
    const document = client.documents.get(acme.organizationId)!
    return client.order(body, stampWith(acme.root, body), { document, records: [...client.records.values()] })
  }
}

/** Stops the signer, changes its files, and starts it again. */
function behindItsBack({ boundary }: Fixture, change: () => void): Promise<void> {
  return boundary.restart(change)
}

/** The signer answers only the reason. */
async function isHalted(t: Test, fixture: Fixture, code: RefusalName): Promise<void> {
  const { boundary, acme } = fixture
  const { organizationId } = acme
  t.match(await request(fixture)(), { is: "refused", code })
  const phase =
    code === "ROOT_SEED_MISSING"
      ? { phase: Phase.EMPTY }
      : { phase: Phase.HALTED, haltedBy: RefusalCode[code] }
  t.match(await getStatus({}, boundary.signer), { ...phase, explanation: /\w/ })
  await t.rejects(boundary.recover(""), { code })
  await t.rejects(boundary.createSetupCode(acme.root.publicKeyHex), { code })
  await t.rejects(
    readArchive({ organizationId, afterRecordId: "", activityFingerprints: [] } as never, boundary.signer),
    { code },
  )
  const nonce = new Uint8Array(16)
  await t.rejects(getOrganizationHead({ organizationId, nonce } as never, boundary.signer), { code })
  await boundary.acknowledge({ organizationId })
}

t.test(
  "A3: without its ledger the signer answers nothing, and answers again once the ledger is restored",
  async (t) => {
    const fixture = await setup(t)
    const { ledger } = places(fixture)
    await behindItsBack(fixture, () => renameSync(ledger, `${ledger}.away`))
    await isHalted(t, fixture, "LEDGER_MISSING")
    await behindItsBack(fixture, () => {
      rmSync(ledger, { recursive: true, force: true })
      renameSync(`${ledger}.away`, ledger)
    })
    t.match(await request(fixture)(), { is: "outcome" })
  },
)

t.test("A3: with another deployment's ledger or root seed the signer answers nothing", async (t) => {
  const fixture = await setup(t)
  const elsewhere = await setup(t)
  await elsewhere.boundary.signer.close()
  const [own, foreign] = [places(fixture), places(elsewhere)]
  await behindItsBack(fixture, () => {
    renameSync(own.ledger, `${own.ledger}.away`)
    cpSync(foreign.ledger, own.ledger, { recursive: true })
  })
  await isHalted(t, fixture, "LEDGER_FOREIGN")
  await behindItsBack(fixture, () => {
    rmSync(own.ledger, { recursive: true })
    renameSync(`${own.ledger}.away`, own.ledger)
    renameSync(own.seed, `${own.seed}.away`)
    cpSync(foreign.seed, own.seed)
    chmodSync(own.seed, 0o600)
  })
  await isHalted(t, fixture, "LEDGER_FOREIGN")
  await behindItsBack(fixture, () => rmSync(own.seed))
  await isHalted(t, fixture, "LEDGER_FOREIGN")
  await behindItsBack(fixture, () => renameSync(`${own.seed}.away`, own.seed))
  t.match(await request(fixture)(), { is: "outcome" })
})

t.test("A3: with neither root seed nor ledger the signer creates none and answers nothing", async (t) => {
  const fixture = await setup(t)
  const { home } = places(fixture)
  await behindItsBack(fixture, () => renameSync(home, `${home}.away`))
  await isHalted(t, fixture, "ROOT_SEED_MISSING")
  t.notOk(existsSync(home), "another deployment would decide about other organizations")
  await behindItsBack(fixture, () => renameSync(`${home}.away`, home))
  t.match(await request(fixture)(), { is: "outcome" })
})

t.test("A3: with a root seed readable by others, or truncated, the signer answers nothing", async (t) => {
  const fixture = await setup(t)
  const { seed } = places(fixture)
  for (const mode of [0o640, 0o604, 0o620, 0o660, 0o777]) {
    await behindItsBack(fixture, () => chmodSync(seed, mode))
    await isHalted(t, fixture, "ROOT_SEED_UNUSABLE")
  }
  await behindItsBack(fixture, () => chmodSync(seed, 0o600))
  t.match(await request(fixture)(), { is: "outcome" })
  await behindItsBack(fixture, () => truncateSync(seed, 31))
  await isHalted(t, fixture, "ROOT_SEED_UNUSABLE")
})

t.test("A3: with a ledger truncated, emptied or overwritten the signer answers nothing", async (t) => {
  const fixture = await setup(t)
  const { ledger, database } = places(fixture)
  await fixture.boundary.signer.close()
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
    await behindItsBack(fixture, () => {
      restore()
      spoil()
    })
    await isHalted(t, fixture, "LEDGER_DAMAGED")
  }
  await behindItsBack(fixture, restore)
  t.match(await request(fixture)(), { is: "outcome" })
})

t.test(
  "A3: an organization with an altered or lost row is refused; other organizations are not",
  async (t) => {
    const fixture = await setup(t)
    const { client, acme } = fixture
    const other = await client.createOrganization("Other")
    const { ledger, database } = places(fixture)
    await fixture.boundary.signer.close()
    cpSync(ledger, `${ledger}.good`, { recursive: true })
    const edits = [
      "DELETE FROM entry WHERE organization_id = ? AND kind = 'fingerprint'",
      "DELETE FROM entry WHERE organization_id = ? AND kind = 'address'",
      "UPDATE entry SET value = zeroblob(73) WHERE organization_id = ? AND kind = 'address'",
      "UPDATE entry SET expires_ms = 1 WHERE organization_id = ? AND kind = 'fingerprint'",
      "UPDATE entry SET key = 'x' || key WHERE organization_id = ? AND kind = 'archive-record'",
    ]
    const theirs = client.body("ACTIVITY_TYPE_CREATE_WALLET", other.organizationId, {
      walletName: "W",
      accounts: [],
    })
    for (const edit of edits) {
      await behindItsBack(fixture, () => {
        rmSync(ledger, { recursive: true })
        cpSync(`${ledger}.good`, ledger, { recursive: true })
        const tables = new DatabaseSync(database)
        tables.prepare(edit).run(acme.organizationId)
        tables.close()
      })
      t.match(await request(fixture)(), { is: "refused", code: "LEDGER_DAMAGED" }, edit)
      t.match(
        await client.offer(theirs, stampWith(other.root, theirs)),
        { is: "outcome" },
        "another's goes on",
      )
    }
  },
)

t.test(
  "A3: a rolled-back ledger is detected by its witness, else by any newer document or record",
  async (t) => {
    const fixture = await setup(t)
    const { boundary, client, acme } = fixture
    const { ledger, database } = places(fixture)
    const older = client.documents.get(acme.organizationId)!
    await boundary.signer.close()
    cpSync(ledger, `${ledger}.old`, { recursive: true })
    await boundary.restart()
    await client.user(acme, "alice")
    t.match(await request(fixture)(), { is: "outcome" }, "the present one")
    await behindItsBack(fixture, () => {
      rmSync(`${database}-wal`, { force: true })
      cpSync(join(`${ledger}.old`, "ledger.sqlite"), database)
    })
    await isHalted(t, fixture, "LEDGER_DAMAGED")
    await behindItsBack(fixture, () => {
      rmSync(ledger, { recursive: true })
      cpSync(`${ledger}.old`, ledger, { recursive: true })
    })
    t.match(
      await request(fixture)(),
      { is: "refused", code: "LEDGER_OLDER" },
      "the newer document is the evidence",
    )
    await behindItsBack(fixture, () => {
      rmSync(ledger, { recursive: true })
      cpSync(`${ledger}.old`, ledger, { recursive: true })
    })
    client.documents.set(acme.organizationId, older)
    t.match(
      await request(fixture)(),
      { is: "outcome" },
      "not promised: older throughout, and nothing newer shown",
    )
  },
)
