/**
 * Objects that are made for one order. Who asks by the same name gets the same object, so a transaction that policies saw is the
 * one that is signed.
 */
export class RequestParts {
  readonly #made = new Map<string, unknown>()

  /** @param name names one type of object */
  get<T>(name: string, make: () => T): T {
    if (!this.#made.has(name)) this.#made.set(name, make())
    return this.#made.get(name) as T
  }
}
