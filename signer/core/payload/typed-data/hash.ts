import { keccak_256 } from "@noble/hashes/sha3.js"
import { memberOf, PayloadFault, requireObject } from "../fault.ts"
import { type ArraySize, DOMAIN, type Types } from "./types.ts"
import { encodeElementary } from "./value.ts"
import { readTypedData } from "./read.ts"

/** Hashes the structs of one set of types; the hash of each type is made once. */
class StructHasher {
  readonly #types: Types
  readonly #budget: HashBudget
  readonly #typeHashes = new Map<string, Uint8Array>()

  constructor(types: Types, budget: HashBudget) {
    this.#types = types
    this.#budget = budget
  }

  /** hashStruct (EIP-712): keccak256(typeHash || encodeData). `at`: path in the JSON. @throws {PayloadFault} */
  hash(struct: string, json: unknown, at: string): Uint8Array {
    const object = requireObject(json, at)
    const words = (this.#types.get(struct) ?? []).map(({ name, type }) => {
      if (!Object.hasOwn(object, name)) throw new PayloadFault(`${at}.${name} is missing`)
      return this.#encode(type.base, type.sizes, memberOf(object, name), `${at}.${name}`)
    })
    return this.#keccak(Buffer.concat([this.#typeHash(struct), ...words]))
  }

  /** encodeData of one value: a 32-byte word; arrays and structs are hashed. `sizes`: outermost last. */
  #encode(base: string, sizes: readonly ArraySize[], json: unknown, at: string): Uint8Array {
    this.#budget.spendOnValue()
    if (sizes.length === 0) {
      if (this.#types.has(base)) return this.hash(base, json, at)
      if (typeof json === "string") this.#budget.spendOnBytes(json.length)
      return encodeElementary(base, json, at)
    }
    const size = sizes.at(-1)
    if (!Array.isArray(json)) throw new PayloadFault(`${at} is no list`)
    if (size !== undefined && json.length !== size) throw new PayloadFault(`${at} must have ${size} entries`)
    const inner = sizes.slice(0, -1)
    const words = json.map((entry, index) => this.#encode(base, inner, entry, `${at}[${index}]`))
    return this.#keccak(Buffer.concat(words))
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
function encodeType(types: Types, struct: string): string {
  const contained = new Set<string>()
  collectStructs(types, struct, contained)
  contained.delete(struct)
  return [struct, ...[...contained].toSorted()].map((name) => declare(types, name)).join("")
}

function declare(types: Types, struct: string): string {
  const members = (types.get(struct) ?? []).map(({ name, type }) => `${type.text} ${name}`)
  return `${struct}(${members.join(",")})`
}

function collectStructs(types: Types, struct: string, found: Set<string>): void {
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
 * Stricter than the standard wherever two libraries could read two things: see types.ts, read.ts, value.ts.
 * Members of the message that its type does not have are left out, as viem and ethers do; code that shows the
 * message or evaluates policies on it must do the same. `budget`: shared by all payloads of a request.
 *
 * @throws {PayloadFault}
 */
export function hashTypedData(text: string, budget = new HashBudget()): Uint8Array {
  const { types, primaryType, domain, message } = readTypedData(text)
  const structs = new StructHasher(types, budget)
  const separator = structs.hash(DOMAIN, domain, "domain")
  const hash = structs.hash(primaryType, message, "message")
  return keccak_256(Buffer.concat([Uint8Array.of(0x19, 0x01), separator, hash]))
}

/** Bytes of one Keccak-256 block (FIPS 202, rate of SHA3-256). */
const BLOCK_BYTES = 136

/** Takes a fraction of a second, and is hundreds of times what wallets sign. */
const MAX_STEPS = 65_536

/**
 * Bounds the typed data that is hashed for one request, because the signer does nothing else meanwhile. A step is one
 * value of a message or one hashed block. A limit on the text's length is not enough: two characters of JSON make a
 * value, and a struct is hashed again with every struct that contains it.
 */
export class HashBudget {
  #left = MAX_STEPS

  /** Spends one step. @throws {PayloadFault} when the budget is spent */
  spendOnValue(): void {
    this.#spend(1)
  }

  /** Spends the steps of hashing this many bytes. @throws {PayloadFault} when the budget is spent */
  spendOnBytes(length: number): void {
    this.#spend(1 + Math.floor(length / BLOCK_BYTES))
  }

  #spend(steps: number): void {
    this.#left -= steps
    if (this.#left >= 0) return
    throw new PayloadFault(
      `the typed data of one request has more than ${MAX_STEPS} values and blocks to hash`,
    )
  }
}
