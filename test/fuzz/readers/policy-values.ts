// Random values for expressions of the policy language.
import {
  Caseless,
  type Field,
  fieldNotUsed,
  type RootReader,
  type Value,
} from "../../../signer/core/policy/expression.ts"
import type { StructType, Type } from "../../../signer/core/policy/language/types.ts"
import { namespaces } from "../../../signer/core/policy/namespaces/index.ts"
import type { Random } from "../random.ts"

/** Roots of every field with values of their types, now and then of another, now and then none. */
export function environmentFrom(random: Random, fields: readonly Field[]): RootReader {
  const values = new Map<string, Value | undefined>()
  const types = new Map(fields.flatMap((field) => Object.entries(namespaces[field].roots)))
  return (root) => {
    if (!values.has(root))
      values.set(root, random.below(12) === 0 ? undefined : valueOf(types.get(root), random, 0))
    return values.get(root)
  }
}

function valueOf(type: Type | undefined, random: Random, depth: number): Value {
  if (type === undefined || random.below(40) === 0) return dynamicValue(random, depth)
  switch (type.kind) {
    case "bool":
      return random.below(2) === 0
    case "int":
    case "uint":
    case "timestamp":
      return random.of([0n, 1n, 1_767_225_600_000n, 2n ** 127n, 2n ** 256n, -1n])
    case "string":
      return random.of(["", "0x", "0xa9059cbb", "SIGN", "a\u{1f511}", "x".repeat(2_000)])
    case "list":
      return Array.from({ length: random.of(depth === 0 ? [0, 1, 2, 1_000] : [0, 1, 5]) }, () =>
        valueOf(type.of, random, depth + 1),
      )
    case "map":
      return new Map(["to", "value", "amount"].map((key) => [key, valueOf(type.of, random, depth + 1)]))
    case "struct":
      return structOf(type, random, depth)
    case "dynamic":
      return dynamicValue(random, depth)
    default:
      return type satisfies never
  }
}

function structOf({ fields }: StructType, random: Random, depth: number): Value {
  const struct = new Map<string, Value | typeof fieldNotUsed>()
  for (const [name, type] of Object.entries(fields)) {
    const chance = random.below(20)
    if (chance === 1) struct.set(name, fieldNotUsed)
    // Lists of lists of structs would grow without end.
    else if (chance > 1)
      struct.set(name, depth > 1 && type.kind === "list" ? [] : valueOf(type, random, depth + 1))
  }
  return struct
}

function dynamicValue(random: Random, depth: number): Value {
  const simple: readonly Value[] = [
    true,
    5n,
    -5n,
    2n ** 300n,
    "0xab",
    new Caseless("0xAB"),
    "",
    [],
    new Map(),
  ]
  if (depth > 3 || random.below(2) === 0) return random.of(simple)
  const parts = Array.from({ length: random.below(4) }, () => dynamicValue(random, depth + 1))
  return random.below(2) === 0
    ? parts
    : new Map(parts.map((part, index) => [random.of(["to", "value", `${index}`]), part]))
}
