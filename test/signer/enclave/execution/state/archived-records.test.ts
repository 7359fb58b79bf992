import t from "tap"
import { RecordKind } from "../../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { deploymentChange, type Ledger } from "../../../../../signer/enclave/ledger/ledger.ts"
import {
  archiveKey,
  ArchivedRecords,
  recordName,
  requireAlive,
  rowsOf,
} from "../../../../../signer/enclave/execution/state/archived-records.ts"
import { ledgerWithRows, ORGANIZATION, RECORD_KEYS, recordOf } from "./records-fixture.ts"

const { WALLET, PRIVATE_KEY } = RecordKind
const ID = "00000000-0000-7000-8000-00000000000a"
const field = "parameters.walletId"
const name = recordName(WALLET, ID)

t.test("a record is named in lower case, with the rows that tell its state", async (t) => {
  t.same(recordName(WALLET, ID.toUpperCase(), field), { kind: WALLET, id: ID, field })
  const archived = { kind: "archive-record", key: `${WALLET}/${ID}` }
  t.same(rowsOf(name), [archived, { kind: "record", key: ID }])
  t.equal(archiveKey(WALLET, ID), archived.key)
})

t.test("a record is alive while the archive has it and no row says that it was deleted", async (t) => {
  const { ledger, archive, setState } = await ledgerWithRows(t)
  const alive = (of = name) => requireAlive(ledger, ORGANIZATION, of)
  t.throws(() => alive(), { code: "RESOURCE_UNKNOWN", field: undefined })
  t.throws(() => alive({ ...name, field }), { code: "RESOURCE_UNKNOWN", field })
  await archive(recordOf(WALLET, ID))
  t.same(alive(), { version: 1n, deleted: false })
  t.throws(() => alive(recordName(PRIVATE_KEY, ID)), { code: "RESOURCE_UNKNOWN" }, "of another kind")
  await setState(ID, { version: 2n, deleted: false })
  t.same(alive(), { version: 2n, deleted: false })
  await setState(ID, { version: 3n, deleted: true })
  t.throws(() => alive(), { code: "RECORD_DELETED", field: undefined })
  t.throws(() => alive({ ...name, field }), { code: "RECORD_DELETED", field })
})

t.test("A3: a record is read from the archive at its current version only", async (t) => {
  const { ledger, archive, setState } = await ledgerWithRows(t)
  const records = new ArchivedRecords(ledger, RECORD_KEYS)
  const read = (of = records) => of.open(ORGANIZATION, name)
  await archive(recordOf(WALLET, ID))
  const first = read()
  t.equal(first.version, 1n)
  t.equal(read(), first, "the parsed record is kept")
  await setState(ID, { version: 2n, deleted: false })
  t.throws(() => read(), { code: "RECORD_ROLLED_BACK" })
  await archive(recordOf(WALLET, ID, new Uint8Array(0), 2n))
  t.equal(read().version, 2n)
  await setState(ID, { version: 3n, deleted: true })
  t.throws(() => read(), { code: "RECORD_DELETED" })
})

t.test("B3: parsed records are kept up to ten megabytes", async (t) => {
  const { ledger, archive } = await ledgerWithRows(t)
  const records = new ArchivedRecords(ledger, RECORD_KEYS)
  const ids = Array.from({ length: 11 }, (_, index) => `record ${index}`)
  for (const id of ids) await archive(recordOf(WALLET, id, new Uint8Array(1024 * 1024)))
  const read = (id: string) => records.open(ORGANIZATION, recordName(WALLET, id))
  const [first, ...others] = ids.map(read)
  t.equal(read(ids.at(-1)!), others.at(-1), "the last one is kept")
  t.not(read(ids[0]!), first, "the first one is read again")
})

t.test("A3: another record in a record's place is refused", async (t) => {
  const other = "00000000-0000-7000-8000-00000000000b"
  const wrong = [recordOf(WALLET, other), recordOf(PRIVATE_KEY, ID)]
  for (const record of wrong) {
    const { ledger, archive } = await ledgerWithRows(t)
    await archive(record, archiveKey(WALLET, ID))
    const records = new ArchivedRecords(ledger, RECORD_KEYS)
    t.throws(() => records.open(ORGANIZATION, name), { code: "RECORD_UNEXPECTED" })
  }
  const { ledger, archive } = await ledgerWithRows(t)
  const altered = { ...recordOf(WALLET, ID), payload: Uint8Array.of(1) }
  await archive(altered)
  const records = new ArchivedRecords(ledger, RECORD_KEYS)
  t.throws(() => records.open(ORGANIZATION, name), { code: "RECORD_FORGED" })
})

t.test("W50: a row that the ledger must have and lacks is a broken invariant", async (t) => {
  const { ledger, archive } = await ledgerWithRows(t)
  await archive(recordOf(WALLET, ID))
  const archived: unknown[] = []
  const row: Ledger["row"] = (organizationId, kind, key) => {
    if (kind === "archive-record") archived.push(key)
    return archived.length > 1 ? undefined : ledger.row(organizationId, kind, key)
  }
  const records = new ArchivedRecords({ row } as Ledger, RECORD_KEYS)
  t.throws(() => records.open(ORGANIZATION, name), {
    name: "BrokenInvariant",
    message: /every living record/,
  })
  const without = { head: () => undefined }
  t.throws(() => deploymentChange(without, {}), { name: "BrokenInvariant", message: /deployment's rows/ })
})
