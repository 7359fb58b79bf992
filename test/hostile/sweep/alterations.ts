import type { DescMessage } from "@bufbuild/protobuf"
import {
  FetchedStatementSchema,
  FetchOrderSchema,
  FetchStatementSchema,
} from "../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import {
  NotarizedDocumentSchema,
  OrganizationDocumentSchema,
} from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { RecordSchema } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { doubled, dropped, type Json, pathsOf, replaced, valueAt } from "./json-leaves.ts"
import { type Embedded, wireFields } from "./wire-fields.ts"

/** An order as the API tier sends it, each part serialized. */
export type WireOrder = {
  body: Uint8Array
  xStamp: string
  xStampWebauthn: string
  documents: Uint8Array[]
  records: Uint8Array[]
  fetched: Uint8Array[]
}

/** An order with two others of the same kind from which parts can be taken. */
export type OrderWithSources = {
  order: WireOrder
  /** The same request of another tenant, with its context. */
  another: WireOrder
  /** An earlier request of the same tenant, with the context of that time. */
  older: WireOrder
}

/** `region`: part of the order; `how`: the kind of change; `original`: the document or record that was altered. */
export type Alteration = { region: string; how: string; order: WireOrder; original?: Uint8Array }

/** Selects the places that are altered: all of them, or a few. */
export type Pick = <Place>(places: readonly Place[]) => readonly Place[]

/** The alterations of a body and its stamp that the API tier can make, one at a time. */
export function* ofRequest(sources: OrderWithSources, pick: Pick): Generator<Alteration> {
  yield* ofBody(sources, pick)
  yield* ofStamp(sources, pick)
}

/** The alterations of the context that the API tier supplies, one at a time. */
export function* ofContext(sources: OrderWithSources, pick: Pick): Generator<Alteration> {
  for (const part of ["documents", "records", "fetched"] as const) yield* ofPart(part, sources, pick)
}

/** Bodies with one value replaced by another tenant's: their own user stamps them. */
export function* ofAnotherTenant({ order, another }: OrderWithSources, pick: Pick): Generator<string> {
  const [value, other] = [parse(order.body), parse(another.body)]
  for (const path of pick(pathsOf(value)))
    for (const { text } of replacements(value, path, "", other)) yield text
}

function* ofBody({ order, another, older }: OrderWithSources, pick: Pick): Generator<Alteration> {
  const withBody = (region: string, how: string, body: Uint8Array | string) => ({
    region,
    how,
    order: { ...order, body: Buffer.from(body as string) },
  })
  for (const { how, bytes } of alteredBytes(order.body, pick)) yield withBody("body bytes", how, bytes)
  const [value, other, earlier] = [order, another, older].map(({ body }) => parse(body)) as [Json, Json, Json]
  for (const { how, text } of alteredLeaves(value, other, earlier, pick))
    yield withBody("body leaf", how, text)
  yield withBody("body", "dropped", "")
  yield withBody("body", "doubled", Buffer.concat([order.body, order.body]))
  yield withBody("body", "another tenant's", another.body)
  yield withBody("body", "older", older.body)
}

function* ofStamp({ order, another, older }: OrderWithSources, pick: Pick): Generator<Alteration> {
  const name = order.xStamp === "" ? "xStampWebauthn" : "xStamp"
  const altered = (region: string, how: string, stamp: string) => ({
    region,
    how,
    order: { ...order, [name]: stamp },
  })
  const value = order[name]
  for (const { how, bytes } of alteredBytes(Buffer.from(value), pick))
    yield altered("stamp bytes", how, Buffer.from(bytes).toString("latin1"))
  const [own, other, earlier] = [order, another, older].map((one) => readStamp(one[name])) as [
    Json,
    Json,
    Json,
  ]
  for (const { how, text } of alteredLeaves(own, other, earlier, pick))
    yield altered("stamp leaf", how, name === "xStamp" ? Buffer.from(text).toString("base64url") : text)
  yield altered("stamp", "dropped", "")
  yield altered("stamp", "doubled", `${value},${value}`)
  yield { region: "stamp", how: "doubled", order: { ...order, xStamp: value, xStampWebauthn: value } }
  const stampOf = ({ xStamp, xStampWebauthn }: WireOrder) => ({ ...order, xStamp, xStampWebauthn })
  yield { region: "stamp", how: "another tenant's", order: stampOf(another) }
  yield { region: "stamp", how: "older", order: stampOf(older) }
}

type Part = "documents" | "records" | "fetched"

const SCHEMAS: { [part in Part]: DescMessage } = {
  documents: NotarizedDocumentSchema,
  records: RecordSchema,
  fetched: FetchedStatementSchema,
}

/** Fields of type bytes with a message inside. */
const EMBEDDED: Embedded = {
  "NotarizedDocument.document": OrganizationDocumentSchema,
  "SignedFetchOrder.order": FetchOrderSchema,
  "SignedStatement.statement": FetchStatementSchema,
}

function* ofPart(part: Part, { order, another, older }: OrderWithSources, pick: Pick): Generator<Alteration> {
  const own = order[part]
  for (const [index, bytes] of own.entries()) {
    const altered = (region: string, how: string, list: Uint8Array[]) => ({
      region,
      how,
      order: { ...order, [part]: list },
      original: bytes,
    })
    const instead = (...others: Uint8Array[]) => own.toSpliced(index, 1, ...others)
    yield altered(part, "dropped", instead())
    yield altered(part, "doubled", instead(bytes, bytes))
    for (const [how, source] of [
      ["another tenant's", another],
      ["older", older],
    ] as const) {
      const other = source[part][index]
      if (other === undefined || Buffer.compare(other, bytes) === 0) continue
      yield altered(part, how, instead(other))
      yield altered(part, `${how}, before`, instead(other, bytes))
      yield altered(part, `${how}, after`, instead(bytes, other))
    }
    for (const { how, bytes: changed } of alteredBytes(bytes, pick))
      yield altered(`${part} bytes`, how, instead(changed))
    const sources = { another: another[part][index], older: older[part][index] }
    for (const { how, bytes: changed } of alteredFields(SCHEMAS[part], bytes, sources, pick))
      yield altered(`${part} field`, how, instead(changed))
  }
}

/** Each byte changed in two ways, dropped and doubled. */
export function* alteredBytes(bytes: Uint8Array, pick: Pick): Generator<{ how: string; bytes: Uint8Array }> {
  for (const at of pick([...bytes.keys()])) {
    for (const mask of [0x01, 0x80]) {
      const changed = Uint8Array.from(bytes)
      changed[at]! ^= mask
      yield { how: "changed", bytes: changed }
    }
    yield { how: "dropped", bytes: Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]) }
    yield { how: "doubled", bytes: Buffer.concat([bytes.subarray(0, at + 1), bytes.subarray(at)]) }
  }
}

/** Each value of a JSON text dropped, doubled, and replaced by the one at the same place of two other texts. */
function* alteredLeaves(
  value: Json,
  another: Json,
  older: Json,
  pick: Pick,
): Generator<{ how: string; text: string }> {
  for (const path of pick(pathsOf(value))) {
    yield { how: "dropped", text: dropped(value, path) }
    yield { how: "doubled", text: doubled(value, path) }
    yield* replacements(value, path, "another tenant's", another)
    yield* replacements(value, path, "older", older)
  }
}

function* replacements(value: Json, path: readonly (string | number)[], how: string, source: Json) {
  const other = valueAt(source, path)
  if (other === undefined || JSON.stringify(other) === JSON.stringify(valueAt(value, path))) return
  yield { how, text: replaced(value, path, other) }
}

type Sources = { another: Uint8Array | undefined; older: Uint8Array | undefined }

/** Each field of a serialized message dropped, doubled, and replaced by that of two other messages. */
export function* alteredFields(
  schema: DescMessage,
  bytes: Uint8Array,
  { another, older }: Sources,
  pick: Pick,
) {
  const fieldsOf = (source: Uint8Array | undefined) =>
    new Map(
      wireFields(schema, source ?? new Uint8Array(0), EMBEDDED).map((field) => [field.path, field.bytes]),
    )
  const sources = [
    { how: "another tenant's", fields: fieldsOf(another) },
    { how: "older", fields: fieldsOf(older) },
  ]
  for (const field of pick(wireFields(schema, bytes, EMBEDDED))) {
    yield { how: "dropped", bytes: field.rewrite(new Uint8Array(0)) }
    yield { how: "doubled", bytes: field.rewrite(Buffer.concat([field.bytes, field.bytes])) }
    for (const { how, fields } of sources) {
      const other = fields.get(field.path)
      if (other === undefined || Buffer.compare(other, field.bytes) === 0) continue
      yield { how, bytes: field.rewrite(other) }
    }
  }
}

function parse(body: Uint8Array): Json {
  return JSON.parse(Buffer.from(body).toString()) as Json
}

/** The members of a stamp header: JSON, or JSON in base64url. */
function readStamp(header: string): Json {
  if (header === "") return {}
  return parse(header.startsWith("{") ? Buffer.from(header) : Buffer.from(header, "base64url"))
}
