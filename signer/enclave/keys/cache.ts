/** What can be wiped: a Secret, a SigningKey. */
export type Wipeable = { wipe(): void }

type Entry<K> = { readonly key: K; readonly endsMs: number; isUsed: boolean }

/** `maxEntries`: at least 1. `ttlMs`: how long after `set` an entry lives, used or not. */
export type KeyCacheOptions = { readonly maxEntries: number; readonly ttlMs: number }

/**
 * Keys kept in clear for a while: bounded in number and time, and wiped when they leave. Time is told by the
 * caller, in milliseconds of a clock that never goes back. A key that was handed out may be wiped by the next
 * call of the cache: use it at once, never across an await.
 */
export class KeyCache<K extends Wipeable> {
  /** Put or spared longest ago first. */
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

  /** The cache owns the key from here on. Wipes the key that it replaces, unless it is the same one. */
  set(name: string, key: K, nowMs: number): void {
    const before = this.#entries.get(name)
    if (before !== undefined && before.key !== key) before.key.wipe()
    this.#entries.delete(name)
    this.#entries.set(name, { key, endsMs: nowMs + this.#options.ttlMs, isUsed: false })
    if (this.#entries.size > this.#options.maxEntries) this.#evictOne(name)
  }

  /**
   * Second chance: an entry that was used since it was last looked at goes to the end once, the first that was not
   * leaves. An exact order of use would cost a deletion in the map at every read, several microseconds each.
   */
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

  /** All keys of an organization. */
  deleteOf(organizationId: string): void {
    for (const name of this.#entries.keys()) if (name.startsWith(`${organizationId} `)) this.delete(name)
  }

  /** Wipes what has outlived its time, also what nobody asks for any more. For the process to call now and then. */
  sweep(nowMs: number): void {
    for (const [name, { endsMs }] of this.#entries) if (endsMs <= nowMs) this.delete(name)
  }

  clear(): void {
    for (const name of this.#entries.keys()) this.delete(name)
  }
}
