// Records in the archive of a real ledger.
import type { Test } from "tap"
import type { Record, RecordKind } from "../../../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { LedgerRow } from "../../../../../signer/enclave/ledger/ledger.ts"
import {
  makeRecord,
  type RecordKeys,
  type RecordState,
  writeRecord,
  writeRecordState,
} from "../../../../../signer/enclave/records/record.ts"
import { create, creation, update } from "../../ledger/harness.ts"

export const ORGANIZATION = "00000000-0000-4000-8000-000000000001"

/** The records have no secrets, so nothing is sealed. */
export const RECORD_KEYS = { mac: new Uint8Array(32).fill(5), epoch: 1 } as unknown as RecordKeys

export function recordOf(kind: RecordKind, id: string, payload = new Uint8Array(0), version = 1n): Record {
  const draft = { kind, organizationId: ORGANIZATION, id, version, payload }
  return makeRecord(draft, RECORD_KEYS, () => {
    throw new Error("nothing is sealed")
  })
}

/** A ledger with one organization, and the changes of its rows. */
export async function ledgerWithRows(t: Test) {
  const ledger = create(t.testdir())
  t.teardown(() => ledger.close())
  await ledger.commit([creation(ORGANIZATION)])
  const put = (...rows: LedgerRow[]) => ledger.commit([update(ORGANIZATION, { put: rows })])
  const archive = (record: Record, key = `${record.kind}/${record.id}`) =>
    put({ kind: "archive-record", key, value: writeRecord(record) })
  const setState = (id: string, state: RecordState) =>
    put({ kind: "record", key: id, value: writeRecordState(state) })
  const remove = (kind: LedgerRow["kind"], key: string) =>
    ledger.commit([update(ORGANIZATION, { remove: [{ kind, key }] })])
  return { ledger, put, archive, setState, remove }
}
