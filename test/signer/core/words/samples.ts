// Parameters of every activity type, made by reflection: each member that a message may have is set, with a value that no
// other member has.
import { type DescField, type DescMessage, getOption, hasOption, ScalarType } from "@bufbuild/protobuf"
import { type ActivityEntry, activityTypes } from "../../../../proto/catalog.ts"
import { Form, rule as ruleOption } from "../../../../proto/gen/countersign/api/v1/options_pb.ts"

export type Json = { [member: string]: unknown }

/** A leaf of a request: its path, the value there, and another that it may have; both as JSON. */
export type Leaf = {
  readonly path: readonly (string | number)[]
  readonly value: unknown
  readonly other: unknown
}

export type Sample = {
  readonly entry: ActivityEntry
  readonly parameters: Json
  readonly leaves: readonly Leaf[]
}

/** One sample of each type, and of each alternative within it. */
export function samplesOf(entry: ActivityEntry): Sample[] {
  const most = Math.max(1, ...alternatives(entry.intentSchema))
  return Array.from({ length: most }, (_, choice) => {
    const maker = new Maker(choice)
    const parameters = maker.message(entry.intentSchema, [])
    return { entry, parameters, leaves: maker.leaves }
  })
}

export const everySample = (): Sample[] => [...activityTypes.values()].flatMap(samplesOf)

export function bodyOf(type: string, parameters: Json): Uint8Array {
  const organizationId = "0198c0de-0000-7000-8000-00000000000f"
  return Buffer.from(JSON.stringify({ type, timestampMs: "1700000000000", organizationId, parameters }))
}

/** The parameters with another value at a path. */
export function replaced(parameters: Json, [first, ...rest]: Leaf["path"], value: unknown): Json {
  const copy = (Array.isArray(parameters) ? [...(parameters as unknown[])] : { ...parameters }) as Json
  const name = String(first)
  copy[name] = rest.length === 0 ? value : replaced(copy[name] as Json, rest, value)
  return copy
}

/** The parameters with proto names in place of lowerCamel ones. */
export function inSnakeCase(schema: DescMessage, parameters: Json): Json {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => {
      const field = schema.fields.find(({ jsonName }) => jsonName === name)
      if (field === undefined) return [name, value]
      const { message } = field
      const spell = (one: unknown) =>
        message === undefined || field.fieldKind === "map" ? one : inSnakeCase(message, one as Json)
      return [field.name, Array.isArray(value) ? value.map(spell) : spell(value)]
    }),
  )
}

function alternatives(schema: DescMessage): number[] {
  const nested = schema.fields.flatMap(({ message }) => (message === undefined ? [] : alternatives(message)))
  return [...schema.oneofs.map(({ fields }) => fields.length), ...nested]
}

class Maker {
  readonly leaves: Leaf[] = []
  readonly #choice: number
  #count = 0

  constructor(choice: number) {
    this.#choice = choice
  }

  message(schema: DescMessage, path: Leaf["path"]): Json {
    const chosen = schema.fields.filter(
      ({ oneof, localName }) =>
        oneof === undefined || oneof.fields[this.#choice % oneof.fields.length]?.localName === localName,
    )
    return Object.fromEntries(
      chosen.map((field) => [field.jsonName, this.#field(field, [...path, field.jsonName])]),
    )
  }

  #field(field: DescField, path: Leaf["path"]): unknown {
    if (field.fieldKind === "list") return [0, 1].map((index) => this.#value(field, [...path, index]))
    if (field.fieldKind !== "map") return this.#value(field, path)
    const key = `key${this.#count}`
    return { [key]: this.#value(field, [...path, key]) }
  }

  #value(field: DescField, path: Leaf["path"]): unknown {
    if (field.message !== undefined) return this.message(field.message, path)
    this.#count += 1
    const value = leafOf(field, this.#count)
    this.leaves.push({ path, value, other: leafOf(field, this.#count + 500) })
    return value
  }
}

function leafOf(field: DescField, count: number): unknown {
  if (field.enum !== undefined) {
    const names = field.enum.values.filter(({ number }) => number !== 0)
    return names[count >= 500 ? 0 : names.length - 1]?.name
  }
  const rule = hasOption(field, ruleOption) ? getOption(field, ruleOption) : undefined
  if (field.scalar === ScalarType.BOOL) return count < 500
  if (field.scalar === ScalarType.INT32 || field.scalar === ScalarType.UINT32)
    return (rule?.maxValue ?? 0) === 0 ? 1000 + count : count >= 500 ? rule?.maxValue : rule?.minValue
  if (rule !== undefined && rule.in.length > 0) return rule.in[count >= 500 ? rule.in.length - 1 : 0]
  const text = textOf(rule?.form ?? Form.UNSPECIFIED, count, rule?.maxDecimal ?? 0n)
  const { minLength = 0, maxLength = 0 } = rule ?? {}
  return maxLength === 0 ? text.padEnd(minLength, "0") : text.slice(-maxLength).padEnd(minLength, "0")
}

function textOf(form: Form, count: number, maxDecimal: bigint): string {
  const digits = String(count).padStart(4, "0")
  const isSmall = maxDecimal > 0n && maxDecimal < 1_000_000n
  switch (form) {
    case Form.UUID:
      return `0198c0de-0000-7000-8000-00000000${digits}`
    case Form.HEX:
      return `abcd${digits}`
    case Form.POSITIVE_DECIMAL:
    case Form.DECIMAL:
    case Form.UINT128:
    case Form.UINT256:
      return String(isSmall ? count % 100 : 100_000 + count)
    case Form.E164:
      return `+1555000${digits}`
    case Form.EMAIL:
      return `user${digits}@example.com`
    case Form.FINGERPRINT:
      return `sha256:${digits.repeat(16)}`
    case Form.COMPRESSED_P256:
      return `02${digits.repeat(16)}`
    case Form.API_KEY:
      return `03${digits.repeat(16)}`
    case Form.UNCOMPRESSED_P256:
      return `04${digits.repeat(32)}`
    case Form.EIP155_CHAIN:
      return `eip155:1${digits}`
    case Form.SOLANA_CHAIN:
      return `solana:chain${digits}`
    case Form.USD:
      return `${count}.25`
    case Form.UNSPECIFIED:
      return `text ${digits}`
    default:
      throw new TypeError(`no sample has form ${form}`)
  }
}
