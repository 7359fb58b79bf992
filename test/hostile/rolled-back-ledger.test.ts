// A ledger whose files were all set back to one moment, or copied: newer authentic state is the evidence.
import { cpSync, rmSync } from "node:fs"
import { join } from "node:path"
import t, { type Test } from "tap"
import { create, fromBinary } from "@bufbuild/protobuf"
import { AcceptLedgerRequestSchema } from "../../proto/gen/countersign/signer/v1/operator_pb.ts"
import {
  HeadStatementSchema,
  ListOrganizationsRequestSchema,
  ReceiptStatementSchema,
} from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { Phase } from "../../proto/gen/countersign/signer/v1/phase_pb.ts"
import {
  NotarizedDocumentSchema,
  OrganizationDocumentSchema,
} from "../../proto/gen/countersign/state/v1/document_pb.ts"
import { RecordSchema } from "../../proto/gen/countersign/state/v1/record_pb.ts"
import { pinsDigest } from "../../signer/core/proof/verify/trusted-pins.ts"
import { operatorHandlers, signerHandlers } from "../../signer/enclave/rpc/index.ts"
import { signParams, type Tenant } from "../harness/api-client.ts"
import { stampWith } from "../harness/stamper.ts"
import { asRoot, bitFlips, decodesDifferently, type Fixture, refused, setup } from "./setup.ts"

const { acceptLedger, getStatus } = operatorHandlers
const SIGN = "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2"
const FRESHNESS_MS = 65 * 60_000
const TAG = "ACTIVITY_TYPE_CREATE_USER_TAG"
const UNSAID = create(AcceptLedgerRequestSchema)

/** Copies of the whole ledger directory, exchanged while no signer runs. */
function copies({ boundary }: Fixture) {
  const ledger = join(boundary.directory, "signer", "ledger")
  const exchange = async (act: () => void) => {
    await boundary.signer.close()
    act()
    await boundary.restart()
  }
  const copy = (from: string, to: string) => {
    rmSync(to, { recursive: true, force: true })
    cpSync(from, to, { recursive: true })
  }
  return {
    keep: (name: string) => exchange(() => copy(ledger, `${ledger}.${name}`)),
    restore: (name: string) => exchange(() => copy(`${ledger}.${name}`, ledger)),
  }
}

/** A root user's signature with an existing account: with the documents and records that the database has. */
function signature({ client, address }: Fixture, { organizationId, root }: Tenant, signWith = address) {
  return () => {
    const body = client.body(SIGN, organizationId, signParams(signWith))
    const document = client.documents.get(organizationId)!
    return client.order(body, stampWith(root, body), { document, records: [...client.records.values()] })
  }
}

function documentOf({ client }: Fixture, { organizationId }: Tenant) {
  const { document } = fromBinary(NotarizedDocumentSchema, client.documents.get(organizationId)!)
  return fromBinary(OrganizationDocumentSchema, document)
}

/** Every call is refused, for every organization, and the operator alone reads which state was the evidence. */
async function isHalted(t: Test, fixture: Fixture, bystander: Tenant, evidence: RegExp): Promise<void> {
  const { boundary, client } = fixture
  const code = "LEDGER_OLDER"
  const body = client.body("ACTIVITY_TYPE_CREATE_WALLET", bystander.organizationId, {
    walletName: "W",
    accounts: [],
  })
  const answer = await client.offer(body, stampWith(bystander.root, body))
  t.match(answer, { is: "refused", code, sentence: /restore the newest ledger, or accept/ }, "every tenant")
  t.notMatch(answer, { sentence: evidence }, "callers read no other organization's state")
  t.match(await getStatus({}, boundary.signer), { phase: Phase.LEDGER_OLDER, explanation: evidence })
  await t.rejects(boundary.recover(""), { code })
  await t.rejects(boundary.createSetupCode(bystander.root.publicKeyHex), { code })
  await t.rejects(signerHandlers.probe({ nonce: new Uint8Array(16) } as never, boundary.signer), { code })
}

async function twoTenants(t: Test): Promise<{ fixture: Fixture; bystander: Tenant }> {
  const fixture = await setup(t)
  return { fixture, bystander: await fixture.client.createOrganization("Bystander") }
}

t.test("A3: a newer document halts the signer for everybody, also after a restart", async (t) => {
  const { fixture, bystander } = await twoTenants(t)
  const { boundary, client, acme } = fixture
  const { keep, restore } = copies(fixture)
  await keep("old")
  await client.user(acme, "alice")
  const attempt = signature(fixture, acme)
  t.match(await attempt(), { is: "outcome" }, "with its own ledger")
  await keep("new")
  await restore("old")
  t.match(await attempt(), { is: "refused", code: "LEDGER_OLDER" })
  const evidence = new RegExp(`${acme.organizationId} was shown at version 2, the ledger has 1`)
  await isHalted(t, fixture, bystander, evidence)
  await boundary.restart()
  await isHalted(t, fixture, bystander, evidence)
  await restore("new")
  t.match(await attempt(), { is: "outcome" }, "the newest ledger ends it")
})

t.test(
  "A3: a newer record, and the document of an organization unknown to the ledger, halt it",
  async (t) => {
    const { fixture, bystander } = await twoTenants(t)
    const { client, acme, walletId, address } = fixture
    const { keep, restore } = copies(fixture)
    await keep("old")
    const documents = new Map(client.documents)
    await asRoot(fixture).submit("UPDATE_WALLET", { walletId, walletName: "Renamed" })
    const later = await client.createOrganization("Later")
    const evidence: [Tenant, RegExp][] = [
      [acme, new RegExp(`record ${walletId} of .* was shown at version 2, the ledger has 1`)],
      [later, new RegExp(`${later.organizationId} was shown at version 1, the ledger has 0`)],
    ]
    for (const [tenant, sentence] of evidence) {
      await restore("old")
      client.documents.set(acme.organizationId, documents.get(acme.organizationId)!)
      t.match(await signature(fixture, tenant, address)(), { is: "refused", code: "LEDGER_OLDER" })
      await isHalted(t, fixture, bystander, sentence)
    }
  },
)

t.test("A3: two copies of one ledger that serve at once are found by each other's documents", async (t) => {
  const { fixture, bystander } = await twoTenants(t)
  const { client, acme } = fixture
  const { keep, restore } = copies(fixture)
  await keep("twin")
  await client.user(acme, "alice")
  const theirs = client.documents.get(acme.organizationId)!
  await restore("twin")
  client.documents.clear()
  await fixture.boundary.restart()
  const { documents } = await archived(fixture, acme)
  client.documents.set(acme.organizationId, documents)
  await client.user(acme, "bob")
  t.equal(documentOf(fixture, acme).version, 2n, "the same version, another document")
  t.match(await signature(fixture, acme)(), { is: "outcome" })
  client.documents.set(acme.organizationId, theirs)
  t.match(await signature(fixture, acme)(), { is: "refused", code: "LEDGER_OLDER" })
  await isHalted(t, fixture, bystander, /was shown at version 2, the ledger has 2/)
})

t.test("A3: two copies of one ledger that serve at once are found by each other's records", async (t) => {
  const { fixture, bystander } = await twoTenants(t)
  const { client, acme, walletId } = fixture
  const { keep, restore } = copies(fixture)
  const rename = (walletName: string) => asRoot(fixture).submit("UPDATE_WALLET", { walletId, walletName })
  await keep("twin")
  await rename("Theirs")
  const theirs = client.records.get(walletId)!
  await restore("twin")
  client.records.set(walletId, await archivedRecord(fixture, acme, walletId))
  await rename("Ours")
  await fixture.boundary.restart()
  const ours = client.records.get(walletId)!
  t.match(await signature(fixture, acme)(), { is: "outcome" }, "with its own record")
  await fixture.boundary.restart()
  client.records.set(walletId, theirs)
  t.match(await signature(fixture, acme)(), { is: "refused", code: "LEDGER_OLDER" })
  await isHalted(t, fixture, bystander, /was shown at version 2, the ledger has 2/)
  t.notSame(ours, theirs)
})

async function archivedRecord({ boundary }: Fixture, { organizationId }: Tenant, id: string) {
  const request = { organizationId, afterRecordId: "", activityFingerprints: [] } as never
  const { records } = await signerHandlers.readArchive(request, boundary.signer)
  return records.find((bytes) => fromBinary(RecordSchema, bytes).id === id)!
}

async function archived({ boundary }: Fixture, { organizationId }: Tenant) {
  const request = { organizationId, afterRecordId: "", activityFingerprints: [] } as never
  const { document } = await signerHandlers.readArchive(request, boundary.signer)
  return { documents: document! }
}

t.test("A3: no forged, foreign or older state halts the signer", async (t) => {
  const fixture = await setup(t)
  const { client, acme, walletId } = fixture
  const { organizationId } = acme
  const older = client.documents.get(organizationId)!
  const olderWallet = client.records.get(walletId)!
  await client.user(acme, "alice")
  await asRoot(fixture).submit("UPDATE_WALLET", { walletId, walletName: "Renamed" })
  const newer = client.documents.get(organizationId)!
  const elsewhere = await setup(t)
  const foreign = await elsewhere.client.createOrganization()
  const body = client.body(SIGN, organizationId, signParams(fixture.address))
  const show = (document: Uint8Array, records: Uint8Array[]) =>
    client.order(body, stampWith(acme.root, body), { document, records })
  const records = [...client.records.values()]
  for (const forged of decodesDifferently(NotarizedDocumentSchema, newer, bitFlips(newer, [0x01])))
    t.not((await show(forged, records)).is, "outcome", "an altered document")
  const foreignDocument = elsewhere.client.documents.get(foreign.organizationId)!
  await refused(t, fixture, "DOCUMENT_FORGED", () => show(foreignDocument, records))
  await refused(t, fixture, "DOCUMENT_ROLLED_BACK", () => show(older, records))
  const withOlder = records.map((bytes) => (bytes === client.records.get(walletId) ? olderWallet : bytes))
  await fixture.boundary.restart()
  await refused(t, fixture, "RECORD_ROLLED_BACK", () => show(newer, withOlder))
  t.match(await show(newer, records), { is: "outcome" }, "the unaltered order runs")
})

t.test(
  "A3: state that left the signer is never newer than a ledger that was killed afterwards",
  async (t) => {
    const fixture = await setup(t)
    const { boundary, client, acme } = fixture
    const ledger = join(boundary.directory, "signer", "ledger")
    const shown: Uint8Array[] = []
    const change = async (index: number) => {
      const { root, organizationId } = acme
      const type = "ACTIVITY_TYPE_CREATE_USER_TAG"
      const body = client.body(type, organizationId, { userTagName: `Tag ${index}`, userIds: [] })
      const answer = await client.send(body, root)
      if (answer.is !== "outcome") return
      // The files as a kill leaves them at this moment: without a close.
      cpSync(ledger, `${ledger}.${shown.length}`, { recursive: true })
      shown.push(answer.outcome.document)
    }
    await Promise.all(Array.from({ length: 12 }, (_, index) => change(index)))
    t.ok(shown.length > 1)
    await boundary.signer.close()
    for (const [index, document] of shown.entries()) {
      rmSync(ledger, { recursive: true })
      cpSync(`${ledger}.${index}`, ledger, { recursive: true })
      await boundary.restart()
      client.documents.set(acme.organizationId, document)
      const answer = await signature(fixture, acme)()
      t.ok(
        answer.is === "outcome" || (answer.is === "refused" && answer.code === "DOCUMENT_ROLLED_BACK"),
        `moment ${index}`,
      )
      t.match(await getStatus({}, boundary.signer), { phase: Phase.READY })
      await boundary.signer.close()
    }
    await boundary.restart()
  },
)

t.test(
  "A3: an operator can give up the newer state: it never counts again, and nothing runs twice",
  async (t) => {
    const { fixture } = await twoTenants(t)
    const { boundary, client, acme } = fixture
    const { keep, restore } = copies(fixture)
    const kept = client.documents.get(acme.organizationId)!
    await keep("old")
    const body = client.body("ACTIVITY_TYPE_CREATE_USER_TAG", acme.organizationId, {
      userTagName: "Lost",
      userIds: [],
    })
    t.match(await client.send(body, acme.root), { is: "outcome" })
    const lost = client.documents.get(acme.organizationId)!
    await restore("old")
    await t.rejects(acceptLedger(UNSAID, boundary.signer), { code: "PHASE_WRONG" })
    const show = (document: Uint8Array) => {
      client.documents.set(acme.organizationId, document)
      return signature(fixture, acme)()
    }
    t.match(await show(lost), { is: "refused", code: "LEDGER_OLDER" })
    await acceptLedger(UNSAID, boundary.signer)
    client.documents.set(acme.organizationId, kept)
    const again = await client.offer(body, stampWith(acme.root, body))
    t.match(again, { is: "refused", code: "CLOCK_UNTRUSTED" }, "while bodies of the lost time are live")
    boundary.clock.pass(FRESHNESS_MS)
    t.match(await client.offer(body, stampWith(acme.root, body)), { is: "refused", code: "REQUEST_STALE" })
    for (const when of ["at once", "after a restart"]) {
      t.match(await show(lost), { is: "refused", code: "DOCUMENT_ROLLED_BACK" }, when)
      t.match(await show(kept), { is: "outcome" }, when)
      await boundary.restart()
    }
    await client.user(acme, "alice")
    t.ok(documentOf(fixture, acme).version > 2n ** 32n, "no version that was given up is issued again")
    const second = client.documents.get(acme.organizationId)!
    t.match(await show(lost), { is: "refused", code: "DOCUMENT_ROLLED_BACK" })
    t.match(await show(second), { is: "outcome" })
    await keep("older")
    await client.user(acme, "bob")
    const newest = client.documents.get(acme.organizationId)!
    await restore("older")
    t.match(await show(newest), { is: "refused", code: "LEDGER_OLDER" }, "a later rollback is found again")
  },
)

t.test("W72: once state was given up, receipts, heads and pins name the next epoch", async (t) => {
  const { fixture } = await twoTenants(t)
  const { boundary, client, acme } = fixture
  const { keep, restore } = copies(fixture)
  const { pins } = boundary.signer.state().keyring
  const { deploymentId } = pins
  const stated = async (name: string) => {
    const parameters = { userTagName: name, userIds: [] }
    const { receipt } = await client.submit(acme.root, TAG, acme.organizationId, parameters)
    const nonce = new Uint8Array(16)
    const asked = { organizationId: acme.organizationId, nonce } as never
    const head = await signerHandlers.getOrganizationHead(asked, boundary.signer)
    return [
      fromBinary(ReceiptStatementSchema, receipt!.statement),
      fromBinary(HeadStatementSchema, head.statement),
    ]
  }
  for (const statement of await stated("first"))
    t.match(statement, { deploymentId, lane: 1, ledgerEpoch: 0n })
  const kept = client.documents.get(acme.organizationId)!
  await keep("old")
  const lost = await stated("lost")
  await restore("old")
  await acceptLedger(create(AcceptLedgerRequestSchema, { restored: true }), boundary.signer)
  const ledgerEpoch = BigInt(Math.floor(boundary.clock.wallMs() / 1000))
  boundary.clock.pass(FRESHNESS_MS)
  client.documents.set(acme.organizationId, kept)
  const again = await stated("again")
  for (const statement of again) t.match(statement, { deploymentId, lane: 1, ledgerEpoch })
  t.notSame(again, lost)
  const { ledger, log } = boundary.signer.state()
  t.same(
    ledger.position().lanes.map(({ epoch }) => BigInt(epoch)),
    [ledgerEpoch, ledgerEpoch],
  )
  t.equal(log.count(acme.organizationId).origin, `countersign/${deploymentId}/1/${ledgerEpoch}`)
  await boundary.restart()
  const { keyring } = boundary.signer.state()
  t.strictSame(keyring.pins, { ...pins, ledgerEpoch })
  t.equal(Buffer.from(keyring.pinsDigest).toString("hex"), pinsDigest(keyring.pins))
  t.not(pinsDigest(keyring.pins), pinsDigest(pins))
})

t.test(
  "A3: an operator who restored an older ledger gives up newer state before the signer is shown any",
  async (t) => {
    const { fixture } = await twoTenants(t)
    const { boundary, client, acme } = fixture
    const { keep, restore } = copies(fixture)
    const before = client.documents.get(acme.organizationId)!
    await keep("old")
    await client.user(acme, "lost")
    const lost = client.documents.get(acme.organizationId)!
    await restore("old")
    const list = () =>
      signerHandlers.listOrganizations(create(ListOrganizationsRequestSchema), boundary.signer)
    t.equal((await list()).givenUpVersion, 0n)
    await acceptLedger(create(AcceptLedgerRequestSchema, { restored: true }), boundary.signer)
    const show = (document: Uint8Array) => {
      client.documents.set(acme.organizationId, document)
      return signature(fixture, acme)()
    }
    t.match(await show(before), { is: "refused", code: "CLOCK_UNTRUSTED" }, "nothing is decided")
    t.equal((await list()).givenUpVersion, 2n ** 32n, "the archive answers meanwhile")
    boundary.clock.pass(FRESHNESS_MS)
    t.match(await show(lost), { is: "refused", code: "DOCUMENT_ROLLED_BACK" }, "no evidence any more")
    t.match(await show(before), { is: "outcome" })
    await client.user(acme, "new")
    t.ok(documentOf(fixture, acme).version > 2n ** 32n, "no version of the lost history is issued again")
  },
)
