import { Random } from "../random.ts"
import { type Finding, outcomeOf } from "./attempt.ts"
import type { Counts, Coverage } from "./coverage.ts"
import { Findings } from "./findings.ts"
import { Mutator } from "./mutate.ts"
import { newInput } from "./parents.ts"
import { Difference, MAX_BLOCKS, MAX_LENGTH, type Reader } from "./reader.ts"

/** Taking the counts costs as much as dozens of inputs do: it is done after each batch. */
const MAX_BATCH = 512
/** One of so many inputs is read alone: only then its counts tell how often it ran a block. */
const PROBED = 8
/** Slow readers have smaller batches, so that a run ends in time. */
const MAX_BATCH_MS = 1_000
/** Counts that tell a loop's rounds apart, as AFL does: 1, 2, 3, 4, 8, 16, 32, 128 and more. */
const BUCKETS = [1, 2, 3, 4, 8, 16, 32, 128]

export type RunOptions = {
  seed: number
  /** Inputs at most, and the time at which no batch begins any more. */
  inputs: number
  endMs: number
  /** The inputs to begin with, and words to put in. */
  begin: readonly Buffer[]
  words: readonly Buffer[]
  /** Called before each batch: after a crash or a hang they are tried one by one. */
  onBatch?: (batch: readonly Buffer[]) => void
}

/** `corpus`: inputs of which each reached something new. */
export type Searched = { inputs: number; covered: number; corpus: Buffer[]; findings: Finding[] }

/**
 * Reads new inputs, and keeps those that reach a block, or a count of one, that no other did. Nothing is judged here: V8 optimizes no code
 * while it counts, and judges would take most of the time.
 */
export function search(reader: Reader, coverage: Coverage, options: RunOptions): Searched {
  return new Search(reader, coverage, options).run()
}

class Search {
  readonly #reader: Reader
  readonly #coverage: Coverage
  readonly #options: RunOptions
  readonly #random: Random
  readonly #mutator: Mutator
  readonly #findings: Findings
  readonly #covered = new Set<number>()
  readonly #buckets = new Set<number>()
  readonly #corpus: Buffer[] = []
  #inputs = 0

  constructor(reader: Reader, coverage: Coverage, options: RunOptions) {
    this.#reader = reader
    this.#coverage = coverage
    this.#options = options
    this.#findings = new Findings(reader)
    this.#random = new Random(options.seed)
    const { format, maxLength = MAX_LENGTH } = reader
    this.#mutator = new Mutator(this.#random, { format, maxLength, words: options.words })
  }

  run(): Searched {
    this.#coverage.take()
    for (const input of this.#options.begin) this.#batch([input])
    // A reader that refuses all inputs to begin with is explored from nothing.
    if (this.#corpus.length === 0) this.#corpus.push(Buffer.alloc(0))
    for (let size = 1; !this.#isAtEnd; ) {
      const startMs = Date.now()
      const isNew = this.#batch(Array.from({ length: size }, () => this.#next()))
      const isSmaller = isNew || Date.now() - startMs > MAX_BATCH_MS
      size = isSmaller ? Math.max(1, size >> 2) : Math.min(MAX_BATCH, size * 2)
    }
    return {
      inputs: this.#inputs,
      covered: this.#covered.size,
      corpus: this.#corpus,
      findings: this.#findings.all,
    }
  }

  get #isAtEnd(): boolean {
    const { inputs, endMs } = this.#options
    return this.#inputs >= inputs || Date.now() >= endMs || this.#findings.isFull
  }

  #next(): Buffer {
    return newInput(this.#corpus, this.#random, this.#mutator)
  }

  /** True if one of the inputs reached something new. */
  #batch(inputs: readonly Buffer[]): boolean {
    this.#options.onBatch?.(inputs)
    this.#inputs += inputs.length
    const before = this.#corpus.length
    const { probed = [], together = [] } = Object.groupBy(inputs, (_, index) =>
      index % PROBED === 0 ? "probed" : "together",
    )
    for (const input of probed) this.#probe(input)
    if (together.length > 0) this.#find(together)
    return this.#corpus.length > before
  }

  /** Counts of the blocks that these inputs execute. */
  #countsOf(inputs: readonly Buffer[]): Counts {
    for (const input of inputs) this.#attempt(input)
    return this.#coverage.take()
  }

  #attempt(input: Buffer): void {
    try {
      outcomeOf(this.#reader, input)
    } catch (error) {
      this.#findings.note(input, error)
      this.#coverage.take()
    }
  }

  /** Finds the inputs that reach a new block: by halves, as most batches have none. */
  #find(inputs: readonly Buffer[]): void {
    const { counts, work } = this.#countsOf(inputs)
    if (!this.#hasNew(counts) && work <= (this.#reader.maxBlocks ?? MAX_BLOCKS)) return
    const [only] = inputs
    if (inputs.length === 1 && only !== undefined) {
      this.#probe(only)
      return
    }
    const half = inputs.length >> 1
    this.#find(inputs.slice(0, half))
    this.#find(inputs.slice(half))
    // Counts of one input alone can hide a block that counts of several tell.
    for (const id of counts.keys()) this.#covered.add(id)
  }

  #hasNew(counts: Counts["counts"]): boolean {
    for (const id of counts.keys()) if (!this.#covered.has(id)) return true
    return false
  }

  /** Reads one input alone, and keeps it if it reached something new. */
  #probe(input: Buffer): void {
    const { counts, work } = this.#countsOf([input])
    const { maxBlocks = MAX_BLOCKS } = this.#reader
    if (work > maxBlocks)
      this.#findings.note(input, new Difference(`more than ${maxBlocks} blocks were executed: ${work}`))
    let isNew = false
    for (const [id, count] of counts) {
      const bucket = id * BUCKETS.length + BUCKETS.findLastIndex((least) => count >= least)
      if (this.#covered.has(id) && this.#buckets.has(bucket)) continue
      this.#covered.add(id)
      this.#buckets.add(bucket)
      isNew = true
    }
    if (isNew) this.#corpus.push(input)
  }
}
