import { GCProfiler, getHeapStatistics, setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { factsOf } from "../../signer/core/policy/facts/index.ts"
import { type Timing, timed } from "../timing.ts"
import { makeSamples, type TransactionSample } from "./samples.ts"

/** One transaction, read from its text to the fields that policies see. */
export type TransactionReading = Pick<TransactionSample, "chain" | "name" | "bytes"> & {
  ms: Timing
  /** Everything that one reading allocates: an upper bound of what it holds at a time. */
  allocatedMiB: number
}

export function measureReading(count: number): TransactionReading[] {
  return makeSamples().map(({ chain, name, bytes, root, input }) => {
    const read = () => {
      const [facts] = factsOf(input, [root])
      if (facts?.(root) === undefined) throw new Error(`${chain}: ${name} has no ${root}`)
    }
    return { chain, name, bytes, ms: timed(count, 1e6, read), allocatedMiB: allocatedBy(read) / 1024 ** 2 }
  })
}

setFlagsFromString("--expose-gc")
const collectGarbage = runInNewContext("gc") as () => void

/** Bytes that a call allocates, those included that are collected meanwhile. */
export function allocatedBy(act: () => unknown): number {
  // Twice: memory outside the heap is freed after a collection, or by the next one at the latest.
  collectGarbage()
  collectGarbage()
  const profiler = new GCProfiler()
  profiler.start()
  const before = heldBytes()
  act()
  const after = heldBytes()
  const { statistics } = profiler.stop()
  const collected = statistics.map(({ beforeGC, afterGC }) => heldIn(beforeGC) - heldIn(afterGC))
  return after - before + collected.reduce((sum, bytes) => sum + bytes, 0)
}

function heldBytes(): number {
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics()
  return heap + external
}

function heldIn({
  heapStatistics,
}: {
  heapStatistics: { usedHeapSize: number; externalMemory: number }
}): number {
  return heapStatistics.usedHeapSize + heapStatistics.externalMemory
}
