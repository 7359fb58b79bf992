/** Runs tasks of one name one after another, in the order in which they came; different names do not wait. */
export class Queues {
  readonly #last = new Map<string, Promise<unknown>>()

  async run<Result>(name: string, task: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(name) ?? Promise.resolve()
    const running = before.then(task, task)
    const settled = running.catch(() => undefined)
    this.#last.set(name, settled)
    try {
      return await running
    } finally {
      if (this.#last.get(name) === settled) this.#last.delete(name)
    }
  }
}
