import { hash } from "node:crypto"
import { elementAt } from "../../../core/crypto/element.ts"
import { ownBytes, Secret, wipe } from "../../../core/crypto/secret.ts"

/** A private key with its chain code, 32 bytes each. The code that creates one wipes it. */
export type ExtendedKey = {
  readonly key: Uint8Array
  readonly chainCode: Uint8Array
  /** The compressed point, once a child without hardening was derived: most accounts of a wallet have one parent. */
  point?: Uint8Array
}

/** Derivation of a master key from a seed, and of a child from a key: BIP-32 and SLIP-0010 differ here. */
export type Scheme = {
  master(seed: Uint8Array): ExtendedKey
  child(parent: ExtendedKey, index: number): ExtendedKey
}

/**
 * Keys of one seed by one scheme. The keys along the path that was derived last are kept: a path with the same
 * beginning costs its own levels only.
 */
export class KeyTree {
  readonly #scheme: Scheme
  readonly #indices: number[] = []
  /** The master key and one key for each index. */
  readonly #keys: ExtendedKey[]
  #hasMaster = true

  /** @throws {RangeError} for a seed of another length than 16 to 64 bytes */
  constructor(scheme: Scheme, seed: Secret) {
    if (seed.length < 16 || seed.length > 64) throw new RangeError("a seed has 16 to 64 bytes")
    this.#scheme = scheme
    this.#keys = [seed.use((bytes) => scheme.master(bytes))]
  }

  /** True if the first index is the one derived last: the key of these indices needs no master key. */
  reaches(indices: readonly number[]): boolean {
    return indices.length > 0 && indices[0] === this.#indices[0]
  }

  /** Wipes the master key. Afterwards only indices that the tree reaches have a key. */
  wipeMaster(): void {
    const { key, chainCode } = elementAt(this.#keys, 0)
    wipe(key, chainCode)
    this.#hasMaster = false
  }

  /** The key at the end of the indices. The caller wipes it. */
  derive(indices: readonly number[]): Secret {
    if (!this.#hasMaster && !this.reaches(indices))
      throw new Error("no key is derived from a wiped master key")
    const different = this.#indices.findIndex((index, level) => indices[level] !== index)
    this.#cut(different === -1 ? this.#indices.length : different)
    for (const index of indices.slice(this.#indices.length)) {
      this.#keys.push(this.#scheme.child(elementAt(this.#keys, this.#indices.length), index))
      this.#indices.push(index)
    }
    return Secret.copyOf(elementAt(this.#keys, indices.length).key)
  }

  /** Overwrites all keys. Nothing can be derived afterwards. */
  wipe(): void {
    this.#cut(-1)
  }

  /** Wipes all keys behind a level; level 0 is the master key. */
  #cut(level: number): void {
    for (const { key, chainCode } of this.#keys.splice(level + 1)) wipe(key, chainCode)
    this.#indices.splice(Math.max(level, 0))
  }
}

/** HMAC-SHA512: left half as key, right half as chain code, both views of one buffer. */
export function halves(hmacKey: Uint8Array, data: Uint8Array): ExtendedKey {
  const digest = hmacSha512(hmacKey, data)
  return { key: digest.subarray(0, 32), chainCode: digest.subarray(32) }
}

/** head || index(4, BE). */
export function childData(head: Uint8Array, index: number): Uint8Array {
  const data = ownBytes(head.length + 4)
  data.set(head)
  new DataView(data.buffer).setUint32(head.length, index)
  return data
}

/** 00 || key(32) || index(4, BE), for hardened children. Contains the private key: the caller wipes it. */
export function hardenedData(key: Uint8Array, index: number): Uint8Array {
  const data = ownBytes(1 + key.length + 4)
  data.set(key, 1)
  new DataView(data.buffer).setUint32(1 + key.length, index)
  return data
}

const BLOCK = 128

/**
 * HMAC-SHA512 (RFC 2104 §2) over Node's one-shot hash. `createHmac` takes three times as long, most of a derivation,
 * and leaves a KeyObject with the key to the garbage collector.
 *
 *     hash(key xor 5c.. || hash(key xor 36.. || data))
 *
 * `key`: at most 128 bytes. Returns 64 bytes, which the caller wipes.
 */
export function hmacSha512(key: Uint8Array, data: Uint8Array): Uint8Array {
  if (key.length > BLOCK) throw new RangeError("the key is longer than a block")
  const inner = padded(key, 0x36, data.length)
  inner.set(data, BLOCK)
  const innerHash = hash("sha512", inner, "buffer")
  const outer = padded(key, 0x5c, innerHash.length)
  outer.set(innerHash, BLOCK)
  try {
    return hash("sha512", outer, "buffer")
  } finally {
    wipe(inner, innerHash, outer)
  }
}

/** The key zero-padded to one block, each byte xor `pad`, followed by `dataLength` zero bytes. */
function padded(key: Uint8Array, pad: number, dataLength: number): Uint8Array {
  const bytes = ownBytes(BLOCK + dataLength).fill(pad, 0, BLOCK)
  for (let i = 0; i < key.length; i++) bytes[i] = elementAt(key, i) ^ pad
  return bytes
}
