// Each record that an order brings × each move by which an API tier can put another one in its place.
import { randomUUID } from "node:crypto"
import { create, type DescField, fromBinary, ScalarType, toBinary } from "@bufbuild/protobuf"
import { FetchedStatementSchema } from "../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import {
  type Record as StoredRecord,
  RecordKind,
  RecordKindSchema,
  RecordSchema,
} from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { Secret } from "../../../signer/core/crypto/secret.ts"
import {
  makeRecord,
  makeTombstone,
  type RecordDraft,
  type RecordKeys,
  writeRecord,
  writeRecordState,
} from "../../../signer/enclave/records/record.ts"
import type { RepeatableSigner } from "../sweep/repeatable-signer.ts"
import { sweptOrders } from "../sweep/orders.ts"
import type { OrderPreparation, PreparedOrder } from "../sweep/prepared-orders.ts"
import type { Figures } from "./figures.ts"

/** Every kind that is stored. */
export const KINDS: readonly RecordKind[] = RecordKindSchema.values
  .map(({ number }) => number as RecordKind)
  .filter((kind) => kind !== RecordKind.UNSPECIFIED)

const nameOf = (kind: RecordKind) => RecordKindSchema.value[kind]?.localName ?? String(kind)

/** Kinds that no order brings, each with the reason. A kind that is in no order and not here is a fault. */
const BROUGHT_BY_NO_ORDER: ReadonlyMap<RecordKind, string> = new Map([
  [RecordKind.SESSION, "sessions are rows of the ledger: their records are for the API's queries"],
  [RecordKind.SMART_CONTRACT_INTERFACE, "the signer reads interfaces in its own archive: interfaces.test.ts"],
  [RecordKind.EMAIL_TEMPLATE, "the signer reads templates in its own archive"],
  [RecordKind.ON_RAMP_TRANSACTION, "a query brings it, no order: on-ramp-status.test.ts"],
])

type Place = {
  prepared: PreparedOrder
  record: StoredRecord
  /** The record at the same place in the order of the other tenant. */
  other: StoredRecord | undefined
  keys: RecordKeys
}

type Move = {
  name: string
  /** The records in the place of this one; undefined: this record has no such move. */
  records?: (place: Place) => Uint8Array[] | undefined
  /** State that the ledger gets for the record first. */
  state?: (record: StoredRecord) => { version: bigint; deleted: boolean }
  allowed: readonly string[]
  /** True if the signer stops deciding: the move shows it that its ledger is older. */
  halts?: boolean
}

const random = (length: number) => new Uint8Array(length).fill(7)

/** A field that no payload has: number 2047, a varint. */
const NEW_FIELD = Buffer.of(0xf8, 0x7f, 1)

/** A record that the signer itself could have written. */
function made({ record, keys }: Place, draft: Partial<RecordDraft>, with_ = keys): Uint8Array[] {
  const { kind, organizationId, id, version, payload } = record
  const secret = record.sealed.length === 0 ? {} : { secret: Secret.copyOf(Buffer.alloc(64, 1)) }
  const full = { kind, organizationId, id, version, payload, ...secret, ...draft }
  return [writeRecord(makeRecord(full, with_, random))]
}

const MOVES: readonly Move[] = [
  ...RecordSchema.fields.flatMap(movesOf),
  ...KINDS.map(
    (kind): Move => ({
      name: `kind ${nameOf(kind)}, authentic`,
      records: (place) => (place.record.kind === kind ? undefined : made(place, { kind })),
      allowed: ["RECORD_UNEXPECTED"],
    }),
  ),
  { name: "withheld", records: () => [], allowed: ["needed", "CONTEXT_MISSING"] },
  {
    name: "of another organization",
    records: ({ other }) => other && [writeRecord(other)],
    allowed: ["RECORD_OF_ANOTHER_ORGANIZATION"],
  },
  {
    name: "of another organization under this id, authentic",
    records: (place) => place.other && made(place, { organizationId: place.other.organizationId }),
    allowed: ["RECORD_OF_ANOTHER_ORGANIZATION"],
  },
  {
    name: "another of the same kind",
    records: (place) => made(place, { id: randomUUID() }),
    allowed: ["needed", "CONTEXT_MISSING"],
  },
  {
    name: "of another deployment",
    records: (place) => made(place, {}, { ...place.keys, mac: new Uint8Array(32).fill(9) }),
    allowed: ["RECORD_FORGED"],
  },
  {
    name: "of another epoch",
    records: (place) => made(place, {}, { ...place.keys, epoch: place.keys.epoch + 1 }),
    allowed: ["LEDGER_OLDER"],
    halts: true,
  },
  {
    name: "older",
    state: ({ version }) => ({ version: version + 1n, deleted: false }),
    allowed: ["RECORD_ROLLED_BACK"],
  },
  {
    name: "deleted",
    state: ({ version }) => ({ version: version + 1n, deleted: true }),
    allowed: ["RECORD_DELETED"],
  },
  {
    name: "newer",
    records: (place) => made(place, { version: place.record.version + 1n }),
    allowed: ["LEDGER_OLDER"],
    halts: true,
  },
  {
    name: "other content of the same version",
    records: (place) => made(place, { payload: Buffer.concat([place.record.payload, NEW_FIELD]) }),
    allowed: ["LEDGER_OLDER"],
    halts: true,
  },
  {
    name: "deleted, where the ledger has it",
    records: ({ record, keys }) => [writeRecord(makeTombstone(record, keys))],
    allowed: ["LEDGER_OLDER"],
    halts: true,
  },
]

/** Each field edited, and taken from another authentic record. The MAC covers all of them. */
function movesOf(field: DescField): Move[] {
  const name = field.localName as keyof StoredRecord
  const withValue = (record: StoredRecord, value: unknown) => [
    toBinary(RecordSchema, create(RecordSchema, { ...record, [name]: value })),
  ]
  return [
    {
      name: `${field.name} edited`,
      records: ({ record }) => withValue(record, edited(field, record[name])),
      allowed: ["RECORD_FORGED"],
    },
    {
      name: `${field.name} of another record`,
      records: ({ record, other }) =>
        other === undefined || isSame(other[name], record[name]) ? undefined : withValue(record, other[name]),
      allowed: ["RECORD_FORGED"],
    },
  ]
}

/** @throws for a field of a type that has no edit here: it needs one */
function edited(field: DescField, value: unknown): unknown {
  if (field.fieldKind === "enum") return (value as number) === 1 ? 2 : 1
  switch (field.scalar) {
    case ScalarType.STRING:
      return randomUUID()
    case ScalarType.UINT64:
      return (value as bigint) + 1n
    case ScalarType.UINT32:
      return (value as number) + 1
    case ScalarType.BOOL:
      return !value
    case ScalarType.BYTES: {
      const bytes = Uint8Array.from([...(value as Uint8Array), 0])
      bytes[0]! ^= 1
      return bytes
    }
    default:
      throw new Error(`${field.name}: a field of this type is not edited yet`)
  }
}

const isSame = (one: unknown, other: unknown) =>
  one instanceof Uint8Array ? Buffer.compare(one, other as Uint8Array) === 0 : one === other

/** Sends every move of every record that the order of this name brings. Returns the kinds of these records. */
export async function runRecords(
  preparation: OrderPreparation,
  name: string,
  { records: figures, retries }: { records: Figures; retries: Figures },
): Promise<Set<RecordKind>> {
  const { signer } = preparation
  const prepared = await preparation.prepare(name, sweptOrders.get(name)!)
  const { order, another, snapshot } = prepared
  const kinds = new Set<RecordKind>()
  const load = () => signer.load(snapshot, name)
  const fetched = order.fetched.map((bytes) => fromBinary(FetchedStatementSchema, bytes))
  const send = async (records: Uint8Array[]) => {
    const effect = await signer.effectOf({ ...order, fetched, records })
    return effect.is === "refused" ? effect.code : effect.is === "outcome" ? "done" : effect.is
  }
  for (const [index, bytes] of order.records.entries()) {
    const record = fromBinary(RecordSchema, bytes)
    kinds.add(record.kind)
    const otherBytes = another.records[index]
    const other = otherBytes && fromBinary(RecordSchema, otherBytes)
    await load()
    let isFresh = true
    for (const { name: move, records, state, allowed, halts = false } of MOVES) {
      const cell = `${nameOf(record.kind)} of ${name} × ${move}`
      if (!isFresh || state !== undefined) await load()
      const { keyring } = signer.boundary.signer.state()
      const place = { prepared, record, other, keys: keyring.records }
      if (state !== undefined) await setState(signer, record, state(record))
      const instead = records === undefined ? [bytes] : records(place)
      if (instead === undefined) {
        figures.notRun("the record has that value, or the other order has no such record")
        continue
      }
      const altered = order.records.toSpliced(index, 1, ...instead)
      const answer = await send(altered)
      figures.count(cell, answer, allowed)
      const isRefused = answer !== "done" && answer !== "needed"
      if (isRefused && !halts && state === undefined) {
        retries.count(`${cell}, again`, await send(altered), [answer])
        // The time of a statement about an issuer's keys may be noted late; orders without one write nothing.
        const isUntouched = fetched.length === 0 ? signer.isUntouched : signer.hasSameOrganizations
        if (!isUntouched) figures.unexpected.push(`${cell}: refused, and the ledger changed`)
      }
      isFresh = isRefused && !halts && state === undefined
    }
    if (!isFresh) await load()
    retries.count(`${nameOf(record.kind)} of ${name}, once the right one comes`, await send(order.records), [
      "done",
    ])
  }
  for (const used of [snapshot, prepared.withoutOther]) signer.discard(used)
  return kinds
}

async function setState(
  { boundary }: RepeatableSigner,
  { organizationId, id }: StoredRecord,
  state: { version: bigint; deleted: boolean },
): Promise<void> {
  const { ledger } = boundary.signer.state()
  const head = ledger.head(organizationId)!
  const put = [{ kind: "record" as const, key: id, value: writeRecordState(state) }]
  await ledger.commit([{ organizationId, expect: head, head, put, remove: [] }])
}

/** Counts the kinds that no order brought. */
export function countAbsentKinds(brought: ReadonlySet<RecordKind>, figures: Figures): void {
  for (const kind of KINDS) {
    if (brought.has(kind)) continue
    const reason = BROUGHT_BY_NO_ORDER.get(kind)
    if (reason === undefined) figures.count(nameOf(kind), "brought by no order", [])
    else figures.notRun(reason, MOVES.length)
  }
}
