import { once } from "node:events"
import { Worker } from "node:worker_threads"
import { advance, type Steps } from "../../../core/turns/steps.ts"
import { turn } from "../event-loop.ts"
import type { Task, TaskAnswer } from "./writer-thread.ts"
import type { Write } from "./writes.ts"

/** Writes sent to the thread at once: copying them takes well under a millisecond. */
const WRITES_PER_TASK = 100

type Asked = { resolve: (isDone: boolean) => void; reject: (error: Error) => void }

/** Has a thread write long transactions and move the log. The thread starts when it is first needed. */
export class LongWriter {
  readonly #file: string
  #thread: Worker | undefined
  readonly #asked: Asked[] = []

  /** `file`: the database, which this process has locked. */
  constructor(file: string) {
    this.#file = file
  }

  /** Writes one transaction and resolves after the sync. False: a lane has moved. If false or rejected, nothing was written. */
  async write(writes: Iterable<Write>): Promise<boolean> {
    const tasks: Promise<boolean>[] = []
    const ask = (task: Task) => {
      const answer = this.#ask(task)
      // A task can fail before the last one is sent, and an unhandled fault would end the process.
      answer.catch(() => undefined)
      tasks.push(answer)
    }
    ask({ is: "begin" })
    const sending = inTasks(writes, ask)
    while (advance(sending).done !== true) await turn()
    ask({ is: "commit" })
    return allDone(tasks)
  }

  /** Moves what the log has now into the database. Rejects with SQLite's error: then the log stays as it is. */
  async checkpoint(): Promise<void> {
    await this.#ask({ is: "checkpoint" })
  }

  /** Resolves when the thread has closed its files. */
  async close(): Promise<void> {
    if (this.#thread === undefined) return
    const ended = once(this.#thread, "exit")
    this.#thread.ref()
    this.#thread.postMessage({ is: "close" } satisfies Task)
    await ended
  }

  #ask(task: Task): Promise<boolean> {
    const thread = (this.#thread ??= this.#start())
    return new Promise((resolve, reject) => {
      this.#asked.push({ resolve, reject })
      thread.ref()
      thread.postMessage(task)
    })
  }

  /** Keeps the process alive only while it has tasks. */
  #start(): Worker {
    const thread = new Worker(new URL("writer-thread.ts", import.meta.url), { workerData: this.#file })
    thread.on("message", ({ error, isLaneMoved = false }: TaskAnswer) => {
      const asked = this.#asked.shift()
      if (this.#asked.length === 0) thread.unref()
      if (error === undefined) asked?.resolve(!isLaneMoved)
      else asked?.reject(Object.assign(new Error(error.message), { errcode: error.errcode }))
    })
    const fail = (error: Error) => {
      for (const { reject } of this.#asked.splice(0)) reject(error)
    }
    thread.on("error", fail)
    thread.on("exit", (code) => {
      this.#thread = undefined // it answers nothing, and will not end a second time
      fail(new Error(`the ledger's writing thread ended with code ${code}`))
    })
    return thread
  }
}

function* inTasks(writes: Iterable<Write>, send: (task: Task) => void): Steps<void> {
  let some: Write[] = []
  for (const write of writes) {
    some.push(write)
    if (some.length < WRITES_PER_TASK) continue
    send({ is: "write", writes: some })
    some = []
    yield
  }
  send({ is: "write", writes: some })
}

/** Waits for all tasks, so that none is left when the caller goes on. The first task that failed has the reason: those after it fail because of it. */
async function allDone(tasks: readonly Promise<boolean>[]): Promise<boolean> {
  const outcomes = await Promise.allSettled(tasks)
  const first = outcomes.find((outcome) => outcome.status === "rejected" || !outcome.value)
  if (first?.status === "rejected") throw first.reason
  return first === undefined
}
