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

/** Kinds that no order brings, each with the reason. A kind that is neither brought nor in this list is a fault. */
const BROUGHT_BY_NO_ORDER: ReadonlyMap<RecordKind, string> = new Map([
  [RecordKind.SESSION, "sessions are rows of the ledger: their records are for the API's queries"],
  [RecordKind.SMART_CONTRACT_INTERFACE, "the signer reads interfaces in its own archive: interfaces.test.ts"],
  [RecordKind.EMAIL_TEMPLATE, "the signer reads templates in its own archive"],
  [RecordKind.ON_RAMP_TRANSACTION, "a query brings it, no order: on-ramp-status.test.ts"],
])

type MoveContext = {
  prepared: PreparedOrder
  record: StoredRecord
  /** The record at the same position in the order of the other tenant. */
  other: StoredRecord | undefined
  keys: RecordKeys
}

type Move = {
  name: string
  /** The records that replace this one; undefined: the move does not exist for this record. */
  records?: (context: MoveContext) => Uint8Array[] | undefined
  /** State that is written to the ledger for the record before the order is sent. */
  state?: (record: StoredRecord) => { version: bigint; deleted: boolean }
  allowed: readonly string[]
  /** True if the signer stops deciding, because the move shows that its ledger was rolled back. */
  halts?: boolean
}

const random = (length: number) => new Uint8Array(length).fill(7)

/** A field that no payload has: number 2047, a varint. */
const NEW_FIELD = Buffer.of(0xf8, 0x7f, 1)

/** A record with a valid MAC, as the signer itself could have written it. `withKeys`: those of another deployment or epoch. */
function authenticRecord(
  { record, keys }: MoveContext,
  draft: Partial<RecordDraft>,
  withKeys = keys,
): Uint8Array[] {
  const { kind, organizationId, id, version, payload } = record
  const secret = record.sealed.length === 0 ? {} : { secret: Secret.copyOf(Buffer.alloc(64, 1)) }
  const full = { kind, organizationId, id, version, payload, ...secret, ...draft }
  return [writeRecord(makeRecord(full, withKeys, random))]
}

const MOVES: readonly Move[] = [
  ...RecordSchema.fields.flatMap(movesOf),
  ...KINDS.map(
    (kind): Move => ({
      name: `kind ${nameOf(kind)}, authentic`,
      records: (context) => (context.record.kind === kind ? undefined : authenticRecord(context, { kind })),
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
    records: (context) =>
      context.other && authenticRecord(context, { organizationId: context.other.organizationId }),
    allowed: ["RECORD_OF_ANOTHER_ORGANIZATION"],
  },
  {
    name: "another of the same kind",
    records: (context) => authenticRecord(context, { id: randomUUID() }),
    allowed: ["needed", "CONTEXT_MISSING"],
  },
  {
    name: "of another deployment",
    records: (context) => authenticRecord(context, {}, { ...context.keys, mac: new Uint8Array(32).fill(9) }),
    allowed: ["RECORD_FORGED"],
  },
  {
    name: "of another epoch",
    records: (context) => authenticRecord(context, {}, { ...context.keys, epoch: context.keys.epoch + 1 }),
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
    records: (context) => authenticRecord(context, { version: context.record.version + 1n }),
    allowed: ["LEDGER_OLDER"],
    halts: true,
  },
  {
    name: "other content of the same version",
    records: (context) =>
      authenticRecord(context, { payload: Buffer.concat([context.record.payload, NEW_FIELD]) }),
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

/** Two moves of each field: another value, and the value of another authentic record. The MAC covers every field. */
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

/** Sends the order of this name once for every move of every record that it brings. Returns the kinds of these records. */
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
      const context = { prepared, record, other, keys: keyring.records }
      if (state !== undefined) await setState(signer, record, state(record))
      const instead = records === undefined ? [bytes] : records(context)
      if (instead === undefined) {
        figures.notRun("the record has that value already, or the other order has no record at this position")
        continue
      }
      const altered = order.records.toSpliced(index, 1, ...instead)
      const answer = await send(altered)
      figures.count(cell, answer, allowed)
      const isRefused = answer !== "done" && answer !== "needed"
      if (isRefused && !halts && state === undefined) {
        retries.count(`${cell}, again`, await send(altered), [answer])
        // A refused order with a statement of the fetcher may still store the statement's time; other refused orders write nothing.
        const isUntouched = fetched.length === 0 ? signer.isUntouched : signer.hasSameOrganizations
        if (!isUntouched) figures.unexpected.push(`${cell}: refused, and the ledger changed`)
      }
      isFresh = isRefused && !halts && state === undefined
    }
    if (!isFresh) await load()
    retries.count(
      `${nameOf(record.kind)} of ${name}, then with the right record`,
      await send(order.records),
      ["done"],
    )
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
