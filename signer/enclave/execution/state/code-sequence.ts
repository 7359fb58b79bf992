import { type KeyObject, hash } from "node:crypto"
import { DEPLOYMENT, type Ledger } from "../../ledger/ledger.ts"
import { indexShard } from "./identity-register.ts"

const LENGTH = 8

/**
 * The highest state sequence that the paired fetcher has stated about its one-time codes. Orders carry it, so that a
 * fetcher whose store was restored from an older copy notices. The ledger keeps it for each fetcher: another one begins
 * anew.
 */
export class CodeSequence {
  readonly #ledger: Ledger
  readonly #key: string
  #known: bigint | undefined

  constructor(ledger: Ledger, fetcherKey: KeyObject | undefined) {
    this.#ledger = ledger
    const spki = fetcherKey?.export({ format: "der", type: "spki" })
    this.#key = hash("sha256", spki ?? new Uint8Array(0), "hex")
  }

  get known(): bigint {
    this.#known ??= readSequence(this.#ledger.row(this.#shard, "code-sequence", this.#key))
    return this.#known
  }

  /**
   * Remembers a greater sequence. It is written with the request that brought it, or soon after a refusal: on a full disk
   * neither is.
   */
  learn(sequence: bigint): void {
    if (sequence <= this.known) return
    this.#known = sequence
    const next = (value: Uint8Array | undefined) => writeSequence(max(readSequence(value), sequence))
    const row = { kind: "code-sequence", key: this.#key, next } as const
    this.#ledger.commit([], [{ shard: this.#shard, update: [row] }]).catch(() => {})
  }

  get #shard(): string {
    return indexShard(DEPLOYMENT, this.#key)
  }
}

function max(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}

function readSequence(value: Uint8Array | undefined): bigint {
  return value?.length === LENGTH ? Buffer.from(value).readBigUInt64BE() : 0n
}

function writeSequence(sequence: bigint): Uint8Array {
  const bytes = Buffer.alloc(LENGTH)
  bytes.writeBigUInt64BE(sequence)
  return bytes
}
