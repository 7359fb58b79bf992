type Queue = {
  /** Settles when the last exclusive task is done. */
  exclusive: Promise<unknown>
  /** Shared tasks that came after it. */
  shared: Set<Promise<unknown>>
  waiting: number
}

/** Locks by key: exclusive tasks run one after another, shared tasks run concurrently. */
export class Locks {
  readonly #queues = new Map<string, Queue>()

  /** Number of keys with tasks. */
  get size(): number {
    return this.#queues.size
  }

  /** Runs a task after all earlier ones and before all later ones. */
  run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const queue = this.#queueOf(key)
    const before = Promise.all([queue.exclusive, ...queue.shared])
    const result = before.then(task)
    queue.exclusive = settled(result)
    queue.shared = new Set()
    return this.#release(key, queue, result)
  }

  /** Runs a task concurrently with other shared tasks, never with an exclusive one. */
  runShared<T>(key: string, task: () => Promise<T>): Promise<T> {
    const queue = this.#queueOf(key)
    const result = queue.exclusive.then(task)
    const { shared } = queue
    const done = settled(result)
    shared.add(done)
    return this.#release(key, queue, result).finally(() => shared.delete(done))
  }

  #queueOf(key: string): Queue {
    const queue = this.#queues.get(key) ?? { exclusive: Promise.resolve(), shared: new Set(), waiting: 0 }
    this.#queues.set(key, queue)
    queue.waiting += 1
    return queue
  }

  async #release<T>(key: string, queue: Queue, result: Promise<T>): Promise<T> {
    try {
      return await result
    } finally {
      queue.waiting -= 1
      if (queue.waiting === 0) this.#queues.delete(key)
    }
  }
}

const ignore = () => undefined

function settled(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(ignore, ignore)
}
