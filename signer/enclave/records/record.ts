import { create, fromBinary, toBinary } from "@bufbuild/protobuf"
import { type Record, RecordKind, RecordSchema } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { type RandomBytes, type Secret, wiping } from "../../core/crypto/secret.ts"
import { refuse } from "../../core/refusal.ts"
import { isRecordMac, type MacKey, macRecord } from "../keys/record-mac.ts"
import { seal, type SealBinding, unseal } from "../keys/seal.ts"

/** The keys that authenticate and seal records, with their generation. */
export type RecordKeys = { mac: MacKey; seal: Secret; epoch: number }

export type RecordDraft = {
  kind: RecordKind
  organizationId: string
  id: string
  version: bigint
  payload: Uint8Array
  secret?: Secret
}

const MAC_DOMAIN = "countersign/v1/record"

/** Creates an authenticated record. Its secret is sealed for this record and version only. */
export function makeRecord(draft: RecordDraft, keys: RecordKeys, random: RandomBytes): Record {
  const { secret, ...fields } = draft
  const record = create(RecordSchema, { ...fields, epoch: keys.epoch })
  if (secret !== undefined) record.sealed = seal(keys.seal, bindingOf(record), secret, random)
  record.mac = macOf(record, keys.mac)
  return record
}

/** The version of a record after `latest`. Its secret is sealed again, because a seal covers the version. */
export function changeRecord(
  record: Record,
  { latest, payload }: { latest: bigint; payload: Uint8Array },
  keys: RecordKeys,
  random: RandomBytes,
): Record {
  const { kind, organizationId, id } = record
  const draft = { kind, organizationId, id, version: latest + 1n, payload }
  if (record.sealed.length === 0) return makeRecord(draft, keys, random)
  const secret = openSecret(record, keys)
  return wiping([secret], () => makeRecord({ ...draft, secret }, keys, random))
}

/** The last version of a deleted record, without payload and secret. */
export function makeTombstone(
  { kind, organizationId, id, version }: Pick<Record, "kind" | "organizationId" | "id" | "version">,
  keys: RecordKeys,
): Record {
  return lastVersion({ kind, organizationId, id, version: version + 1n }, keys)
}

/** The last version of a record that ends before it expires. The payload with the expiry stays. */
export function endRecord(record: Record, keys: RecordKeys): Record {
  const { kind, organizationId, id, payload, version } = record
  return lastVersion({ kind, organizationId, id, payload, version: version + 1n }, keys)
}

function lastVersion(fields: Omit<RecordDraft, "payload"> & { payload?: Uint8Array }, keys: RecordKeys) {
  const last = create(RecordSchema, { ...fields, epoch: keys.epoch, deleted: true })
  last.mac = macOf(last, keys.mac)
  return last
}

/** Reads and authenticates a supplied record. `requireCurrent` checks its ids, kind and version. @throws RECORD_FORGED */
export function openRecord(bytes: Uint8Array, keys: RecordKeys): Record {
  let record: Record
  try {
    // A copy: decoded byte fields are views of their source, which may be a network buffer.
    record = fromBinary(RecordSchema, Uint8Array.from(bytes))
  } catch (cause) {
    throw refuse("RECORD_FORGED", "a stored record cannot be read", { cause })
  }
  if (!isRecordMac(record.mac, keys.mac, MAC_DOMAIN, ...partsOf(record)))
    throw refuse("RECORD_FORGED", "a stored record is not authentic")
  return record
}

/** Unseals a record's secret; the caller wipes it. */
export function openSecret(record: Record, keys: RecordKeys): Secret {
  return unseal(keys.seal, bindingOf(record), record.sealed)
}

export function writeRecord(record: Record): Uint8Array {
  return toBinary(RecordSchema, record)
}

function macOf(record: Record, key: MacKey): Uint8Array {
  return macRecord(key, MAC_DOMAIN, ...partsOf(record))
}

/** kind || organization id || id || version(8, BE) || epoch(4, BE) || deleted(1) || payload || sealed, each length-prefixed. */
function partsOf(record: Record): Uint8Array[] {
  const numbers = Buffer.alloc(13)
  numbers.writeBigUInt64BE(record.version, 0)
  numbers.writeUInt32BE(record.epoch, 8)
  numbers.writeUInt8(record.deleted ? 1 : 0, 12)
  const texts = [kindName(record.kind), record.organizationId, record.id].map((text) => Buffer.from(text))
  return [...texts, numbers, record.payload, record.sealed]
}

function bindingOf(record: Record): SealBinding {
  const { organizationId, id, version, epoch } = record
  return { kind: kindName(record.kind), organizationId, id, version, epoch }
}

/** Names of kinds in MACs and seals. */
const KIND_NAMES: ReadonlyMap<RecordKind, string> = new Map([
  [RecordKind.WALLET, "wallet"],
  [RecordKind.WALLET_ACCOUNT, "wallet-account"],
  [RecordKind.PRIVATE_KEY, "private-key"],
  [RecordKind.SMART_CONTRACT_INTERFACE, "smart-contract-interface"],
  [RecordKind.OAUTH2_CREDENTIAL, "oauth2-credential"],
  [RecordKind.SESSION, "session"],
  [RecordKind.SECRET, "secret"],
  [RecordKind.ON_RAMP_TRANSACTION, "on-ramp-transaction"],
  [RecordKind.EMAIL_TEMPLATE, "email-template"],
])

function kindName(kind: RecordKind): string {
  const name = KIND_NAMES.get(kind)
  if (name === undefined) throw refuse("RECORD_FORGED", "a stored record has an unknown kind")
  return name
}

/** A record's current version, as a row: version(8, BE) || deleted(1). Without row: version 1, not deleted. */
export type RecordState = { version: bigint; deleted: boolean }

export function writeRecordState(state: RecordState): Uint8Array {
  const bytes = Buffer.alloc(9)
  bytes.writeBigUInt64BE(state.version, 0)
  bytes.writeUInt8(state.deleted ? 1 : 0, 8)
  return bytes
}

export function readRecordState(row: Uint8Array | undefined): RecordState {
  if (row === undefined) return { version: 1n, deleted: false }
  const bytes = Buffer.from(row)
  return { version: bytes.readBigUInt64BE(0), deleted: bytes.readUInt8(8) === 1 }
}

/** True if an authenticated record is newer than its state in the ledger, or contradicts it at the same version. */
export function isNewerThan(state: RecordState, { version, deleted }: Record): boolean {
  return version > state.version || (version === state.version && deleted !== state.deleted)
}

/**
 * Requires that an authenticated record is the requested one, at its current version in the ledger.
 * @throws RECORD_OF_ANOTHER_ORGANIZATION, RECORD_UNEXPECTED, RECORD_DELETED, RECORD_ROLLED_BACK
 */
export function requireCurrent(
  record: Record,
  expected: { organizationId: string; id: string; kind: RecordKind },
  state: RecordState,
): Record {
  if (record.organizationId !== expected.organizationId)
    throw refuse("RECORD_OF_ANOTHER_ORGANIZATION", "a stored record belongs to another organization")
  if (record.id !== expected.id || record.kind !== expected.kind)
    throw refuse("RECORD_UNEXPECTED", "a stored record is not the one that was asked for")
  if (state.deleted) throw refuse("RECORD_DELETED", "the resource was deleted")
  if (record.version !== state.version || record.deleted)
    throw refuse("RECORD_ROLLED_BACK", "a stored record is not at its current version")
  return record
}
