import type { Appended, Batch, Tenure } from "../../signer/enclave/ledger/store.ts"
import { MemoryStorage, MemoryStore } from "../signer/enclave/ledger/memory-store.ts"

/**
 * Fault of an append. `lost`, `answer-lost`: the signer cannot know whether it was written; it was not, or it was. `killed-before`,
 * `killed-after`: the process ends before the write, or after it. `full`: the disk has no room.
 */
export type AppendFault = "none" | "lost" | "answer-lost" | "killed-before" | "killed-after" | "full"

/** A store whose appends take chosen turns of the event loop and have chosen faults. */
export class FaultyStore extends MemoryStore {
  readonly #storage: MemoryStorage
  /** Faults of the next appends; none afterwards. */
  readonly faults: AppendFault[] = []
  /** Turns that the next appends take; none afterwards. */
  readonly delays: number[] = []
  /** True after the process was killed: no later append reaches the storage. */
  #isCut = false

  constructor(storage: MemoryStorage) {
    super(storage)
    this.#storage = storage
  }

  /** Ends the process's access at once. */
  cut(): void {
    this.#isCut = true
  }

  /** As SQLite's store, whose file has one writer at a time: the fence stays. */
  override async takeOver(): Promise<Tenure> {
    const tenure = await super.takeOver()
    this.#storage.fence -= 1
    return { ...tenure, fence: tenure.fence - 1 }
  }

  override async append(batch: Batch, onShown: () => void): Promise<Appended> {
    for (let turns = this.delays.shift() ?? 0; turns > 0; turns -= 1) await turn()
    const fault = this.faults.shift() ?? "none"
    if (this.#isCut || fault === "killed-before") throw new Error("the process was killed")
    if (fault === "killed-after") {
      await super.append(batch, () => undefined)
      this.#isCut = true
      throw new Error("the process was killed")
    }
    this.#storage.next = fault === "lost" ? "lost" : fault === "answer-lost" ? "written and lost" : "answered"
    this.#storage.room = fault === "full" ? 0 : Number.POSITIVE_INFINITY
    return super.append(batch, onShown)
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))
