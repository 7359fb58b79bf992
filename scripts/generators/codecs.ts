import { type DescField, type DescMessage, type DescOneof, ScalarType } from "@bufbuild/protobuf"
import { ResultSchema } from "../../proto/gen/countersign/api/v1/activities_pb.ts"
import {
  SignRawPayloadResultSchema,
  SignRawPayloadsResultSchema,
  SignTransactionResultSchema,
} from "../../proto/gen/countersign/api/v1/intents/signing_pb.ts"
import { PolicyOutcomeSchema } from "../../proto/gen/countersign/api/v1/resources_pb.ts"
import {
  DecisionSchema,
  ExecuteRequestSchema,
  ExecuteResponseSchema,
  OrderAnswerSchema,
  OrderSchema,
  OutcomeSchema,
} from "../../proto/gen/countersign/signer/v1/signer_pb.ts"

/** Messages of the Execute stream, and those within them that an order for a signature needs. Others are left to protobuf-es. */
const OUTER = [ExecuteRequestSchema, ExecuteResponseSchema]
const INNER: ReadonlySet<DescMessage> = new Set<DescMessage>([
  OrderSchema,
  OrderAnswerSchema,
  OutcomeSchema,
  DecisionSchema,
  PolicyOutcomeSchema,
  ResultSchema,
  SignRawPayloadResultSchema,
  SignRawPayloadsResultSchema,
  SignTransactionResultSchema,
])

/** A oneof with more members has code for the messages above alone: a message with another member is left to protobuf-es. */
const MAX_MEMBERS = 10

const LENGTH_DELIMITED = 2

/** proto/codec/orders.ts: functions that read and write each message of the Execute stream. */
export function orderCodecs(): string {
  const depths = new Map<DescMessage, number>()
  for (const schema of OUTER) findDepths(schema, 1, depths)
  const functions = [...depths].flatMap(([schema, depth]) => [writerOf(schema), readerOf(schema, depth)])
  const body = functions.join("\n\n")
  const codecs = OUTER.map(
    (schema) =>
      `["${schema.typeName}", usualCodec(whole(${schema.name}Schema), write${schema.name}, read${schema.name})],`,
  )
  return `// Generated from proto/countersign/signer/v1/signer.proto by \`npm run generate\`: not edited by hand.
/* oxlint-disable max-lines-per-function -- A case for each field. */
import type { DescMessage, MessageInitShape } from "@bufbuild/protobuf"
${imports(body, [...depths.keys()])}
import { type Codec, usualCodec } from "./codec.ts"
import { UNUSUAL, type WireReader } from "./reader.ts"
import type { WireWriter } from "./writer.ts"

const EMPTY = new Uint8Array(0)

${body}

/** Codecs of the messages of the Execute stream, by the names of their types. @param whole what handles unusual messages */
export function orderCodecs(whole: (schema: DescMessage) => Codec): ReadonlyMap<string, Codec> {
  return new Map([
    ${codecs.join("\n")}
  ])
}
`
}

/** The greatest depth at which each message stands within an outer one: the reader needs it for the limit on nesting. */
function findDepths(schema: DescMessage, depth: number, depths: Map<DescMessage, number>): void {
  const known = depths.get(schema)
  if (known === depth) return
  if (known !== undefined && schema.fields.some(({ message }) => message && !INNER.has(message)))
    throw new Error(`${schema.typeName} stands at two depths, and protobuf-es reads messages in it`)
  depths.set(schema, Math.max(depth, known ?? 0))
  for (const child of schema.fields.flatMap((field) => field.message ?? []))
    if (INNER.has(child)) findDepths(child, depth + 1, depths)
}

function writerOf(schema: DescMessage): string {
  const lines: string[] = []
  const done = new Set<DescOneof>()
  for (const field of schema.fields.toSorted((one, other) => one.number - other.number)) {
    if (field.oneof === undefined) lines.push(writing(field, `message.${field.localName}`))
    else if (!done.has(field.oneof)) {
      done.add(field.oneof)
      lines.push(writingOneof(field.oneof))
    }
  }
  return `function write${schema.name}(writer: WireWriter, message: MessageInitShape<typeof ${schema.name}Schema>): void {
  if ("$unknown" in message) throw UNUSUAL
  ${lines.join("\n")}
}`
}

/** The members of a oneof have numbers beside each other: its one value is written in the order of the numbers. */
function writingOneof(oneof: DescOneof): string {
  const numbers = oneof.fields.map(({ number }) => number)
  const isApart = oneof.parent.fields.some(
    (field) =>
      field.oneof !== oneof && field.number > Math.min(...numbers) && field.number < Math.max(...numbers),
  )
  if (isApart) throw new Error(`${String(oneof)}: other fields stand between its members`)
  const cases = handledMembers(oneof).map(
    (field) => `case "${field.localName}": {
      ${writing(field, `message.${oneof.localName}.value`)}
      break
    }`,
  )
  return `switch (message.${oneof.localName}?.case) {
    case undefined:
      break
    ${cases.join("\n")}
    ${isWhole(oneof) ? `default:\n message.${oneof.localName} satisfies never` : "default: throw UNUSUAL"}
  }`
}

function handledMembers(oneof: DescOneof): DescField[] {
  return oneof.fields.filter(({ message }) => isWhole(oneof) || (message !== undefined && INNER.has(message)))
}

function isWhole(oneof: DescOneof): boolean {
  return oneof.fields.length <= MAX_MEMBERS
}

function writing(field: DescField, value: string): string {
  const tag = tagOf(field)
  if (field.fieldKind === "list" && field.listKind === "message")
    return `for (const one of ${value} ?? []) {\n${writingMessage(field.message, tag, "one")}\n}`
  if (field.fieldKind !== "message") return `writer.${methodOf(field)}(${tag}, ${value})`
  const written = writingMessage(field.message, tag, value)
  return field.oneof ? written : `if (${value} !== undefined) {\n${written}\n}`
}

/** A value that is no object makes the writer throw: protobuf-es refuses it, or writes an empty message. */
function writingMessage(schema: DescMessage, tag: number, value: string): string {
  if (!INNER.has(schema)) return `writer.message(${tag}, ${schema.name}Schema, ${value})`
  return `const place = writer.open(${tag})
    write${schema.name}(writer, ${value})
    writer.close(place)`
}

function readerOf(schema: DescMessage, depth: number): string {
  const handled = schema.fields.filter(
    (field) => field.oneof === undefined || handledMembers(field.oneof).includes(field),
  )
  const cases = handled.map((field) => `case ${tagOf(field)}:\n${reading(field, depth)}\nbreak`)
  return `function read${schema.name}(reader: WireReader, end: number): ${schema.name} {
  const message: ${schema.name} = {
    $typeName: "${schema.typeName}",
    ${schema.members.flatMap(initial).join("\n")}
  }
  while (reader.at < end) {
    switch (reader.uint()) {
      ${cases.join("\n")}
      default:
        throw UNUSUAL
    }
  }
  if (reader.at !== end) throw UNUSUAL
  return message
}`
}

/** The member of an empty message; none: it is absent there. */
function initial(member: DescField | DescOneof): string[] {
  const { localName } = member
  if (member.kind === "oneof") return [`${localName}: { case: undefined },`]
  switch (member.fieldKind) {
    case "message":
      return []
    case "list":
      return [`${localName}: [],`]
    case "enum":
      return [`${localName}: 0,`]
    case "scalar":
      return [`${localName}: ${zeroOf(member.scalar)},`]
    default:
      throw new Error(`${String(member)}: maps are left to protobuf-es`)
  }
}

function zeroOf(scalar: ScalarType): string {
  switch (scalar) {
    case ScalarType.STRING:
      return '""'
    case ScalarType.BYTES:
      return "EMPTY"
    case ScalarType.BOOL:
      return "false"
    case ScalarType.UINT64:
    case ScalarType.INT64:
      return "0n"
    default:
      return "0"
  }
}

/** A message that comes twice is merged, which is left to protobuf-es. */
function reading(field: DescField, depth: number): string {
  const { localName, oneof } = field
  const value = valueOf(field, depth)
  if (oneof)
    return `if (message.${oneof.localName}.case !== undefined) throw UNUSUAL
      message.${oneof.localName} = { case: "${localName}", value: ${value} }`
  if (field.fieldKind === "list") return `message.${localName}.push(${value})`
  const once = field.fieldKind === "message" ? `if (message.${localName} !== undefined) throw UNUSUAL\n` : ""
  // Unknown values of an enumeration are kept as numbers.
  const type = field.fieldKind === "enum" ? ` as ${field.parent.name}["${localName}"]` : ""
  return `${once}message.${localName} = ${value}${type}`
}

function valueOf(field: DescField, depth: number): string {
  if (field.message !== undefined)
    return INNER.has(field.message)
      ? `read${field.message.name}(reader, reader.until(end))`
      : `reader.message(${field.message.name}Schema, end, ${depth})`
  const method = methodOf(field).replace("List", "")
  return ["bytes", "string"].includes(method) ? `reader.${method}(end)` : `reader.${reads(method)}()`
}

/** Numbers below 2^28 are read alike, and values of enumerations are such numbers. */
function reads(method: string): string {
  return method === "uint32" || method === "enum" ? "uint" : method
}

/** The method of WireWriter that writes a field's values. */
function methodOf(field: DescField): string {
  if (field.fieldKind === "enum" && field.oneof === undefined && field.enum.open) return "enum"
  const scalar = field.fieldKind === "scalar" || field.fieldKind === "list" ? field.scalar : undefined
  const isPlain = field.fieldKind === "scalar" && field.oneof === undefined && !field.proto.proto3Optional
  const list = field.fieldKind === "list" ? "List" : ""
  if (scalar === ScalarType.STRING && (isPlain || list)) return `string${list}`
  if (scalar === ScalarType.BYTES && (isPlain || list)) return `bytes${list}`
  if (scalar === ScalarType.BOOL && isPlain) return "bool"
  if (scalar === ScalarType.UINT32 && isPlain) return "uint32"
  if ((scalar === ScalarType.UINT64 || scalar === ScalarType.INT64) && isPlain) return "uint64"
  throw new Error(`${String(field)}: the codecs of orders know no field of this kind`)
}

function tagOf(field: DescField): number {
  const isDelimited =
    field.message !== undefined ||
    (field.fieldKind !== "enum" && (field.scalar === ScalarType.STRING || field.scalar === ScalarType.BYTES))
  return field.number * 8 + (isDelimited ? LENGTH_DELIMITED : 0)
}

/** Imports of the types and schemas that the functions name. */
function imports(body: string, messages: readonly DescMessage[]): string {
  const children = messages.flatMap(({ fields }) => fields.flatMap(({ message }) => message ?? []))
  const byFile = Map.groupBy(new Set([...messages, ...children]), ({ file }) => file.name)
  return [...byFile]
    .map(([file, all]) => {
      const names = all.flatMap(({ name }) => [
        ...(new RegExp(`\\): ${name} \\{`).test(body) ? [`type ${name}`] : []),
        ...(new RegExp(`\\b${name}Schema\\b`).test(body) ? [`${name}Schema`] : []),
      ])
      return names.length === 0 ? "" : `import { ${names.join(", ")} } from "../gen/${file}_pb.ts"`
    })
    .filter((line) => line !== "")
    .join("\n")
}
