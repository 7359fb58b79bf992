type Line = {
  /** Settles when the last who came alone is done. */
  alone: Promise<unknown>
  /** Those who came side by side after him. */
  beside: Set<Promise<unknown>>
  waiting: number
}

/** Lets what changes one thing happen one after the other; what leaves it as it is may happen side by side. */
export class Locks {
  readonly #lines = new Map<string, Line>()

  /** Alone: after everybody who came before, before everybody who comes later. */
  run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const line = this.#line(key)
    const before = Promise.all([line.alone, ...line.beside])
    const mine = before.then(task)
    line.alone = settled(mine)
    line.beside = new Set()
    return this.#leaving(key, line, mine)
  }

  /** Side by side with others of this kind, and never beside one that runs alone. */
  runShared<T>(key: string, task: () => Promise<T>): Promise<T> {
    const line = this.#line(key)
    const mine = line.alone.then(task)
    const { beside } = line
    const done = settled(mine)
    beside.add(done)
    return this.#leaving(key, line, mine).finally(() => {
      beside.delete(done)
    })
  }

  #line(key: string): Line {
    const line = this.#lines.get(key) ?? { alone: Promise.resolve(), beside: new Set(), waiting: 0 }
    this.#lines.set(key, line)
    line.waiting += 1
    return line
  }

  async #leaving<T>(key: string, line: Line, mine: Promise<T>): Promise<T> {
    try {
      return await mine
    } finally {
      line.waiting -= 1
      if (line.waiting === 0) this.#lines.delete(key)
    }
  }
}

function settled(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    () => undefined,
  )
}
