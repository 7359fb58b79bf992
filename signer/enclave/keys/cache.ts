/** A value with secret bytes, such as a Secret or a SigningKey. */
export type Wipeable = { wipe(): void }

type Entry<K> = { readonly key: K; readonly endsMs: number; isUsed: boolean }

/** `maxEntries`: at least 1. `ttlMs`: lifetime of an entry from `set` on, used or not. */
export type KeyCacheOptions = { readonly maxEntries: number; readonly ttlMs: number }

/**
 * A cache of keys in clear, bounded in number and time; removed keys are wiped. The caller passes the time, in
 * milliseconds of a monotonic clock. The next call of the cache may wipe a returned key: use it at once, never across
 * an await.
 */
export class KeyCache<K extends Wipeable> {
  /** In the order in which entries were set or last kept by `#evictOne`. */
  readonly #entries = new Map<string, Entry<K>>()
  readonly #options: KeyCacheOptions

  constructor(options: KeyCacheOptions) {
    if (!(options.maxEntries >= 1)) throw new RangeError("a key cache holds at least one entry")
    this.#options = options
  }

  get size(): number {
    return this.#entries.size
  }

  get(name: string, nowMs: number): K | undefined {
    const entry = this.#entries.get(name)
    if (entry === undefined) return undefined
    if (entry.endsMs <= nowMs) {
      this.delete(name)
      return undefined
    }
    entry.isUsed = true
    return entry.key
  }

  /** Takes ownership of the key. Wipes a replaced key, unless it is the same one. */
  set(name: string, key: K, nowMs: number): void {
    const replaced = this.#entries.get(name)
    if (replaced !== undefined && replaced.key !== key) replaced.key.wipe()
    this.#entries.delete(name)
    this.#entries.set(name, { key, endsMs: nowMs + this.#options.ttlMs, isUsed: false })
    if (this.#entries.size > this.#options.maxEntries) this.#evictOne(name)
  }

  /** Second-chance eviction: an exact order of use would need a deletion in the map at every read, several microseconds each. */
  #evictOne(newest: string): void {
    for (const [name, entry] of this.#entries) {
      if (!entry.isUsed && name !== newest) return this.delete(name)
      entry.isUsed = false
      this.#entries.delete(name)
      this.#entries.set(name, entry)
    }
  }

  delete(name: string): void {
    this.#entries.get(name)?.key.wipe()
    this.#entries.delete(name)
  }

  /** Removes all keys of an organization. */
  deleteOf(organizationId: string): void {
    for (const name of this.#entries.keys()) if (name.startsWith(`${organizationId} `)) this.delete(name)
  }

  /** Wipes expired keys, including those that are no longer read. The process calls it regularly. */
  sweep(nowMs: number): void {
    for (const [name, { endsMs }] of this.#entries) if (endsMs <= nowMs) this.delete(name)
  }

  clear(): void {
    for (const name of this.#entries.keys()) this.delete(name)
  }
}
