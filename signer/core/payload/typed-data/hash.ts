import { keccak_256 } from "@noble/hashes/sha3.js"
import { elementAt } from "../../crypto/element.ts"
import { HashBudget } from "./budget.ts"
import { readTypedData } from "./read.ts"
import { DOMAIN, type TypedDataTypes } from "./types.ts"
import { encodeElementary, isArray, isStruct, type StructValue, type TypedValue } from "./value.ts"

/** Hashes the structs of one set of types; the hash of each type is made once. */
class StructHasher {
  readonly #types: TypedDataTypes
  readonly #budget: HashBudget
  readonly #typeHashes = new Map<string, Uint8Array>()

  constructor(types: TypedDataTypes, budget: HashBudget) {
    this.#types = types
    this.#budget = budget
  }

  /** hashStruct (EIP-712): keccak256(typeHash || encodeData). @throws {Fault payload} when the budget is spent */
  hash(struct: string, members: StructValue): Uint8Array {
    const values = [...members.values()]
    const words = (this.#types.get(struct) ?? []).map(({ type }, index) =>
      this.#encode(type.base, elementAt(values, index)),
    )
    return this.#keccak(Buffer.concat([this.#typeHash(struct), ...words]))
  }

  /** encodeData of one value: a 32-byte word; arrays and structs are hashed. `base`: the type without dimensions. */
  #encode(base: string, value: TypedValue): Uint8Array {
    if (isStruct(value)) return this.hash(base, value)
    if (!isArray(value)) return encodeElementary(base, value)
    return this.#keccak(Buffer.concat(value.map((entry) => this.#encode(base, entry))))
  }

  #typeHash(struct: string): Uint8Array {
    const known = this.#typeHashes.get(struct)
    if (known !== undefined) return known
    const typeHash = this.#keccak(Buffer.from(encodeType(this.#types, struct)))
    this.#typeHashes.set(struct, typeHash)
    return typeHash
  }

  #keccak(bytes: Uint8Array): Uint8Array {
    this.#budget.spendOnBytes(bytes.length)
    return keccak_256(bytes)
  }
}

/** encodeType (EIP-712): `Mail(Person from,Person to)Person(string name)`; contained structs sorted by name. */
function encodeType(types: TypedDataTypes, struct: string): string {
  const contained = new Set<string>()
  collectStructs(types, struct, contained)
  contained.delete(struct)
  return [struct, ...[...contained].toSorted()].map((name) => declare(types, name)).join("")
}

function declare(types: TypedDataTypes, struct: string): string {
  const members = (types.get(struct) ?? []).map(({ name, type }) => `${type.text} ${name}`)
  return `${struct}(${members.join(",")})`
}

function collectStructs(types: TypedDataTypes, struct: string, found: Set<string>): void {
  const members = types.get(struct)
  if (members === undefined || found.has(struct)) return
  found.add(struct)
  for (const { type } of members) collectStructs(types, type.base, found)
}

/**
 * Digest of typed data by EIP-712, given as the JSON text {types, primaryType, domain, message}:
 *
 *     keccak256(19 01 || hashStruct(domain) || hashStruct(message))
 *
 * hashStruct(message) is left out where the primary type is EIP712Domain.
 * Stricter than the standard wherever two libraries could read two things: see types.ts, read.ts, value.ts.
 * Policies see exactly the hashed values, so payloads with one digest have the same values in every policy.
 * `budget`: shared by all payloads of a request.
 *
 * @throws {Fault payload}
 */
export function hashTypedData(text: string, budget = new HashBudget()): Uint8Array {
  const { types, primaryType, domain, message } = readTypedData(text, budget)
  const structs = new StructHasher(types, budget)
  const hashes = [structs.hash(DOMAIN, domain)]
  if (primaryType !== DOMAIN) hashes.push(structs.hash(primaryType, message))
  return keccak_256(Buffer.concat([Uint8Array.of(0x19, 0x01), ...hashes]))
}
