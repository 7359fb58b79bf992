import { create, type DescField, type DescMessage, type Message, ScalarType } from "@bufbuild/protobuf"
import type { Random } from "../../fuzz/random.ts"

const TEXTS = [
  "a",
  "0198c0de-0000-7000-8000-000000000001",
  "x".repeat(127),
  "y".repeat(128),
  "z".repeat(20_000),
]
const OTHER_TEXTS = ["é", "\ufeffa", "語".repeat(60), "😀", "\0", "é".repeat(70), "\ud800"]
const INTEGERS = [1, 127, 128, 0x3fff, 0x4000, 0x7fff_ffff, -1, -0x8000_0000]
const UNSIGNED = [1, 127, 128, 0x0fff_ffff, 0x1000_0000, 0xffff_ffff]
const LONG = [1n, 127n, 128n, 1n << 31n, 1_767_225_600_000n, (1n << 49n) - 1n, 1n << 49n, (1n << 63n) - 1n]

/** A message with random members: some at their defaults, some at the ends of what their types hold. */
export function randomMessage(schema: DescMessage, random: Random, depth = 0): Message {
  const init: { [member: string]: unknown } = {}
  for (const member of schema.members) {
    if (member.kind === "oneof") {
      const field = random.of(member.fields)
      if (random.below(4) > 0)
        init[member.localName] = { case: field.localName, value: singular(field, random, depth) }
    } else if (random.below(3) > 0) init[member.localName] = valueOf(member, random, depth)
  }
  return create(schema, init)
}

function valueOf(field: DescField, random: Random, depth: number): unknown {
  const count = random.below(depth < 3 ? 3 : 1)
  const several = () => Array.from({ length: count }, () => singular(field, random, depth))
  switch (field.fieldKind) {
    case "list":
      return several()
    case "map":
      return Object.fromEntries(several().map((value, index) => [String(index), value]))
    default:
      return singular(field, random, depth)
  }
}

function singular(field: DescField, random: Random, depth: number): unknown {
  if (field.message !== undefined)
    return depth > 5 ? create(field.message) : randomMessage(field.message, random, depth + 1)
  if (field.enum !== undefined)
    return random.of([...field.enum.values.map(({ number }) => number), 1_000_000])
  switch (field.scalar) {
    case ScalarType.STRING:
      return random.of(random.below(20) > 0 ? TEXTS : OTHER_TEXTS)
    case ScalarType.BYTES:
      return new Uint8Array(random.bytes(random.of([0, 1, 32, 127, 128, 3000])))
    case ScalarType.BOOL:
      return random.below(2) === 0
    case ScalarType.UINT64:
      return random.of([...LONG, (1n << 64n) - 1n])
    case ScalarType.INT64:
      return random.of([...LONG, -1n, -(1n << 63n)])
    case ScalarType.UINT32:
      return random.of(UNSIGNED)
    case ScalarType.INT32:
      return random.of(INTEGERS)
    default:
      throw new Error(`${String(field)}: no values of this type`)
  }
}
