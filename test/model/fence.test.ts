// Every state of two writers of one ledger, explored; and the store in memory, which every other store is compared with, led along.
import t from "tap"
import type { Batch } from "../../signer/enclave/ledger/store.ts"
import { isLong } from "../harness/long.ts"
import { MemoryStorage, MemoryStore } from "../signer/enclave/ledger/memory-store.ts"
import { entry, NEW, shard, Writer, writerOf } from "../signer/enclave/ledger/store-harness.ts"
import { explore } from "./explore.ts"
import {
  type Answer,
  brokenOf,
  FENCE,
  fenceWith,
  type LedgerState,
  nameOf,
  type StoreEvent,
  type StoreFault,
  type WriterName,
} from "./fence.ts"

/** In the short form each so many states are led to in the store. */
const EVERY = isLong ? 1 : 10

t.test("W100: no order of writers, appends and lost answers breaks a promise of the ledger", async (t) => {
  const states = [...explore(FENCE)]
  t.comment(`${states.length} states, ${states.length * FENCE.events.length} steps`)
  t.ok(states.length > 100)
  t.strictSame(
    states.filter(({ state }) => brokenOf(state) !== undefined),
    [],
  )
})

/** True if a state of the machine with this fault breaks a promise. */
function isFound(fault: StoreFault): boolean {
  for (const { state } of explore(fenceWith(fault))) if (brokenOf(state) !== undefined) return true
  return false
}

t.test("the promises of the ledger are broken by each way in which a store could be wrong", async (t) => {
  for (const fault of ["no fence", "twice", "forgets", "old fence"] as const) t.ok(isFound(fault), fault)
})

t.test(
  "W101: a store answers each append of two writers as the machine does, and has what it has",
  async (t) => {
    const differences: string[] = []
    const states = [...explore(FENCE)].filter((_, at) => at % EVERY === 0)
    for (const { state, path } of states) {
      const ledger = new LedgerOfTwo()
      for (const event of path) await ledger.take(event)
      const found = ledger.found()
      const expected = { answers: state.answers, stored: state.stored.map(({ batch }) => batch) }
      if (JSON.stringify(sorted(found)) !== JSON.stringify(sorted(expected)))
        differences.push(`${JSON.stringify(path)}: ${JSON.stringify(found)}`)
    }
    t.comment(`${states.length} paths`)
    t.ok(states.length > 20)
    t.strictSame(differences, [])
  },
)

type Found = { answers: LedgerState["answers"]; stored: readonly string[] }

const sorted = ({ answers, stored }: Found) => ({
  answers: Object.entries(answers).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  stored,
})

class LedgerOfTwo {
  readonly #storage = new MemoryStorage(NEW)
  readonly #writers = new Map<
    WriterName,
    { writer: Writer; at: number; open: Batch | undefined; fence: number }
  >()
  readonly #answers: Record<string, Answer> = {}
  #fences = 0

  async take({ is, writer: name }: StoreEvent): Promise<void> {
    if (is === "take") {
      const writer = await writerOf(new MemoryStore(this.#storage))
      this.#fences += 1
      this.#writers.set(name, {
        writer,
        at: this.#storage.batches.length,
        open: undefined,
        fence: this.#fences,
      })
      return
    }
    const own = this.#writers.get(name)!
    const batchName = nameOf(name, own)
    const batch = own.open ?? own.writer.batch([shard("org"), entry("org", "record", batchName)])
    if (is === "lost before") this.#storage.next = "lost"
    if (is === "lost after") this.#storage.next = "written and lost"
    const outcome = await own.writer.append(batch)
    this.#answers[batchName] = outcome.is
    own.open = outcome.is === "unknown" ? batch : undefined
    if (outcome.is === "done") own.at += 1
  }

  /** The answers, and the names of the stored batches in order. */
  found(): Found {
    const stored = this.#storage.batches.map(({ changes }) => {
      const record = changes.find((change) => change.is === "entry")
      return record?.is === "entry" ? record.row.key : "?"
    })
    return { answers: this.#answers, stored }
  }
}
