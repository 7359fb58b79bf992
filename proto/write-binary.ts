import { type DescField, type DescMessage, type MessageShape, ScalarType, toBinary } from "@bufbuild/protobuf"
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt"
import { type Put, putBool, putBytes, putInteger, putString, putVarint, SCRATCH } from "./write-bytes.ts"

/**
 * The bytes that protobuf's toBinary gives, several times sooner: that one allocates at every growth and asks each
 * member of a oneof, which is a hundred for a result. Messages over 16 KiB, and what is not known here, are left
 * to it.
 */
export function writeBinary<D extends DescMessage>(schema: D, message: MessageShape<D>): Buffer {
  const start = putMessage(schema, message, SCRATCH.length)
  if (start >= 0) return Buffer.from(SCRATCH.subarray(start))
  const bytes = toBinary(schema, message)
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Puts what a message holds of one member, tag included. */
type PutMember = (message: Members, end: number) => number
type Members = { [property: string]: unknown }

/** Behind a message are its last members: what is written from the end needs no room for lengths kept free. */
function putMessage(schema: DescMessage, message: object, end: number): number {
  const members = message as Members
  if (members["$unknown"] !== undefined) return -1
  let at = end
  for (const put of planOf(schema)) {
    if (at < 0) return -1
    at = put(members, at)
  }
  return at
}

const plans = new WeakMap<DescMessage, readonly PutMember[]>()

function planOf(schema: DescMessage): readonly PutMember[] {
  const known = plans.get(schema)
  if (known !== undefined) return known
  const plan = isOrdered(schema) ? schema.members.toReversed().map(putOfMember) : [() => -1]
  plans.set(schema, plan)
  return plan
}

/** Members are written by their numbers, wherever they are declared. */
function isOrdered(schema: DescMessage): boolean {
  const numbers = schema.members.flatMap((member) =>
    member.kind === "oneof" ? member.fields.map(({ number }) => number) : member.number,
  )
  return numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? 0))
}

function putOfMember(member: DescMessage["members"][number]): PutMember {
  const property = member.localName
  if (member.kind === "oneof") {
    const cases = new Map(member.fields.map((field) => [field.localName, tagged(field)]))
    return (message, end) => {
      const chosen = message[property] as { case: string | undefined; value?: unknown }
      return chosen.case === undefined ? end : (cases.get(chosen.case)?.(chosen.value, end) ?? -1)
    }
  }
  const put = tagged(member)
  if (member.fieldKind === "list") return (message, end) => putList(message[property] as unknown[], put, end)
  if (member.fieldKind === "message") {
    return (message, end) => (message[property] === undefined ? end : put(message[property], end))
  }
  // Of a double 0 and -0 are two values.
  if (member.fieldKind === "map" || valueOf(member) === UNKNOWN) return () => -1
  if (member.presence !== FeatureSet_FieldPresence.IMPLICIT) return () => -1
  return (message, end) => (isZero(message[property]) ? end : put(message[property], end))
}

function putList(items: readonly unknown[], put: Put, end: number): number {
  let at = end
  for (let index = items.length - 1; index >= 0 && at >= 0; index--) at = put(items[index], at)
  return at
}

function isZero(value: unknown): boolean {
  // Loosely: 0, 0n, "" and false are what is not written. Bytes are objects.
  return value instanceof Uint8Array ? value.length === 0 : !value
}

/** One value with its tag: number(29) || wire type(3). */
function tagged(field: DescField): Put {
  const [put, wireType] = valueOf(field)
  const tag = field.number * 8 + wireType
  return (value, end) => putVarint(tag, put(value, end))
}

const VARINT = 0
const LENGTH_DELIMITED = 2

function valueOf(field: DescField): [Put, number] {
  const { message, enum: enumType, scalar } = field
  if (message !== undefined) return [nested(message), LENGTH_DELIMITED]
  // Lists of numbers are packed into one value; there are none yet.
  if (field.fieldKind === "list" && scalar !== ScalarType.STRING && scalar !== ScalarType.BYTES)
    return UNKNOWN
  if (enumType !== undefined) return [putInteger, VARINT]
  switch (scalar) {
    case ScalarType.STRING:
      return [putString, LENGTH_DELIMITED]
    case ScalarType.BYTES:
      return [putBytes, LENGTH_DELIMITED]
    case ScalarType.BOOL:
      return [putBool, VARINT]
    case ScalarType.INT32:
    case ScalarType.UINT32:
    case ScalarType.INT64:
    case ScalarType.UINT64:
      return [putInteger, VARINT]
    default:
      return UNKNOWN
  }
}

const UNKNOWN: [Put, number] = [() => -1, VARINT]

function nested(schema: DescMessage): Put {
  // Struct and wrappers are held as what they stand for.
  if (schema.typeName.startsWith("google.protobuf.")) return () => -1
  return (value, end) => {
    const start = putMessage(schema, value as object, end)
    return putVarint(end - start, start)
  }
}
