import { type DescEnum, type DescField, getOption, hasOption, ScalarType } from "@bufbuild/protobuf"
import { base64Decode } from "@bufbuild/protobuf/wire"
import { type FieldRule, Form, rule as ruleOption } from "./gen/countersign/api/v1/options_pb.ts"
import { type RuleFault, faultOfNumber, faultOfString } from "./rules.ts"

/** A request does not fit its message. `message` is the sentence for the caller, the member's path in it. */
export class ReadFault extends Error {
  /** Path of the member at fault, as `parameters.users[0].apiKeys[1].publicKey`; "" for the whole request. */
  readonly path: string
  readonly sentence: string

  constructor(path: string, sentence: string) {
    super(sentence)
    this.name = "ReadFault"
    this.path = path
    this.sentence = sentence
  }
}

/** The fault of a member that is present: its path, then the rule it breaks. */
export function fieldFault(path: string, fault: string): ReadFault {
  return new ReadFault(path, path === "" ? `the request ${fault}` : `\`${path}\` ${fault}`)
}

/** A sentence after the literal text that clients compare; undefined and "": no such text. */
export function afterText(text: string | undefined, sentence: string): string {
  return text ? `${text}: ${sentence}` : sentence
}

/** Reads one JSON value that is not null into the message's value. @throws {ReadFault} */
export type ValueReader = (value: unknown, path: string) => unknown

/** The rule declared for a field; undefined: none. */
export function ruleOf(field: DescField): FieldRule | undefined {
  return hasOption(field, ruleOption) ? getOption(field, ruleOption) : undefined
}

/** Reader of an enum, which accepts names only, and no ..._UNSPECIFIED: an absent member means "not set". */
export function enumReader(type: DescEnum): ValueReader {
  const numbers = new Map(
    type.values
      .filter(({ name, number }) => number !== 0 || !name.endsWith("_UNSPECIFIED"))
      .map(({ name, number }) => [name, number]),
  )
  const sentence = `must be ${someOf([...numbers.keys()])}`
  return (value, path) => {
    const number = typeof value === "string" ? numbers.get(value) : undefined
    if (number === undefined) throw fieldFault(path, sentence)
    return number
  }
}

/** Names listed in an error; the API reference lists all. */
const MAX_NAMES = 12

function someOf(names: readonly string[]): string {
  if (names.length <= MAX_NAMES) return `one of ${names.join(", ")}`
  return `one of ${names.length} names such as ${names.slice(0, MAX_NAMES).join(", ")}`
}

/** Reader of a scalar, its rule included. */
export function scalarReader(type: ScalarType, rule: FieldRule | undefined): ValueReader {
  switch (type) {
    case ScalarType.STRING:
      return stringReader(rule)
    case ScalarType.BOOL:
      return (value, path) => {
        if (typeof value !== "boolean") throw fieldFault(path, "must be true or false")
        return value
      }
    case ScalarType.INT32:
    case ScalarType.SINT32:
    case ScalarType.SFIXED32:
      return integerReader(-(2 ** 31), 2 ** 31 - 1, rule)
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return integerReader(0, 2 ** 32 - 1, rule)
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      return bigintReader(-(2n ** 63n), 2n ** 63n - 1n)
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return bigintReader(0n, 2n ** 64n - 1n)
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return (value, path) => {
        if (typeof value !== "number") throw fieldFault(path, "must be a number")
        return value
      }
    case ScalarType.BYTES:
      return readBytes
    default:
      return type satisfies never
  }
}

/** PostgreSQL cannot store U+0000: a request with it would be decided and never stored. Checks every depth. */
export function refuseNul(value: unknown, path: string): void {
  if (typeof value === "string") {
    if (value.includes("\0")) throw fieldFault(path, "must not hold the character U+0000")
  } else if (Array.isArray(value)) {
    for (const item of value) refuseNul(item, path)
  } else if (typeof value === "object" && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      refuseNul(name, path)
      refuseNul(member, path)
    }
  }
}

/** A UUID is read in lower case, as ids are stored (RFC 9562 section 4): a request may spell it otherwise. */
function stringReader(rule: FieldRule | undefined): ValueReader {
  const isId = rule?.form === Form.UUID
  return (value, path) => {
    if (typeof value !== "string") throw fieldFault(path, "must be a string")
    refuseNul(value, path)
    const fault = rule === undefined ? undefined : faultOfString(value, rule)
    if (fault !== undefined) {
      const { path: place, sentence } = fieldFault(path, fault)
      throw new ReadFault(place, value === "" ? afterText(rule?.unsetText, sentence) : sentence)
    }
    return isId ? value.toLowerCase() : value
  }
}

function integerReader(least: number, greatest: number, rule: FieldRule | undefined): ValueReader {
  return (value, path) => {
    if (typeof value !== "number" || !Number.isInteger(value) || value < least || value > greatest)
      throw fieldFault(path, "must be an integer of 32 bits")
    if (rule !== undefined) require(faultOfNumber(value, rule), path)
    return value
  }
}

function bigintReader(least: bigint, greatest: bigint): ValueReader {
  return (value, path) => {
    const isSpelled = typeof value === "string" && value.length <= 20 && /^(?:0|-?[1-9][0-9]*)$/.test(value)
    const integer = isSpelled ? BigInt(value) : undefined
    if (integer === undefined || integer < least || integer > greatest)
      throw fieldFault(path, "must be an integer of 64 bits, as a string of decimal digits")
    return integer
  }
}

/** RFC 4648 base64 or base64url, as the protobuf JSON mapping allows. */
function readBytes(value: unknown, path: string): Uint8Array {
  const fault = "must be base64"
  if (typeof value !== "string") throw fieldFault(path, fault)
  try {
    return base64Decode(value)
  } catch {
    throw fieldFault(path, fault)
  }
}

function require(fault: RuleFault, path: string): void {
  if (fault !== undefined) throw fieldFault(path, fault)
}
