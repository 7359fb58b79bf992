/** A buffer of its own: neither in Node's shared pool nor on the moving heap, whose collector leaves copies. */
export function ownBytes(length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new ArrayBuffer(length))
}

/** Overwrites bytes that are no longer needed. THREAT_MODEL lists the copies that JavaScript cannot reach. */
export function wipe(...buffers: readonly Uint8Array[]): void {
  for (const buffer of buffers) buffer.fill(0)
}

/** Random bytes; the caller owns them. */
export type RandomBytes = (length: number) => Uint8Array

/** Returns the result of `use` and wipes the secrets, also when it throws. */
export function wiping<T>(secrets: readonly { wipe(): void }[], use: () => T): T {
  try {
    return use()
  } finally {
    for (const secret of secrets) secret.wipe()
  }
}

/** As `wiping`, for a computation in steps: the secrets are wiped when it ends. */
export function* wipingAfter<T>(
  secrets: readonly { wipe(): void }[],
  steps: Generator<void, T, void>,
): Generator<void, T, void> {
  try {
    return yield* steps
  } finally {
    for (const secret of secrets) secret.wipe()
  }
}

const PRINTED = "[secret]"

/**
 * Bytes that must not leak. They are seen only inside `use`, and print as `[secret]` wherever a value can be
 * turned into text: templates, JSON, util.inspect, loggers.
 */
export class Secret {
  #bytes: Uint8Array | undefined

  private constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** Copies; the caller keeps and wipes its own bytes. */
  static copyOf(bytes: Uint8Array): Secret {
    const copy = ownBytes(bytes.length)
    copy.set(bytes)
    return new Secret(copy)
  }

  /** Copies the bytes and wipes the source, so that this is the only copy. */
  static moveFrom(bytes: Uint8Array): Secret {
    try {
      return Secret.copyOf(bytes)
    } finally {
      wipe(bytes)
    }
  }

  /** Length in bytes; 0 after a wipe. */
  get length(): number {
    return this.#bytes?.length ?? 0
  }

  /**
   * Hands the bytes to `read` and returns its answer. `read` is synchronous, changes nothing and keeps no view.
   * @throws {Error} after a wipe, because only a fault of this program can lead there
   */
  use<T>(read: (bytes: Uint8Array) => T): T {
    if (this.#bytes === undefined) throw new Error("a secret was used after it was wiped")
    return read(this.#bytes)
  }

  /** Overwrites the bytes; a second call does nothing. */
  wipe(): void {
    if (this.#bytes !== undefined) wipe(this.#bytes)
    this.#bytes = undefined
  }

  toString(): string {
    return PRINTED
  }

  toJSON(): string {
    return PRINTED
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return PRINTED
  }
}
