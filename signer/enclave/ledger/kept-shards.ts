import { RecentlyUsed } from "../../core/recently-used.ts"
import { isIndexShard } from "./overflow.ts"
import type { VerifiedShard } from "./verify-shard.ts"

export type KeptLimits = {
  /** Verified shards kept in memory, about 400 bytes each; others are verified again when read. */
  organizations: number
  /** Verified index shards kept in memory, apart: every organization shares them, and none displaces them. */
  indexShards: number
}

/** The verified shards in memory, by name. */
export class KeptShards {
  readonly #organizations: RecentlyUsed<string, VerifiedShard>
  readonly #index: RecentlyUsed<string, VerifiedShard>
  readonly #indexShards: number

  constructor({ organizations, indexShards }: KeptLimits) {
    this.#organizations = new RecentlyUsed(organizations)
    this.#index = new RecentlyUsed(indexShards)
    this.#indexShards = indexShards
  }

  /** False once a further index shard displaces another one. */
  get hasRoomForIndex(): boolean {
    return this.#index.size < this.#indexShards
  }

  get(shard: string): VerifiedShard | undefined {
    return this.#of(shard).get(shard)
  }

  set(shard: string, verified: VerifiedShard): void {
    this.#of(shard).set(shard, verified)
  }

  #of(shard: string): RecentlyUsed<string, VerifiedShard> {
    return isIndexShard(shard) ? this.#index : this.#organizations
  }
}
