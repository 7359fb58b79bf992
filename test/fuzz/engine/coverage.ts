import { Session, type Profiler } from "node:inspector"
import { pathToFileURL } from "node:url"
import { join } from "node:path"

const ROOT = join(import.meta.dirname, "..", "..", "..")

/** Counts of blocks that ran since the last reading, by their numbers. `work`: their sum. */
export type Counts = { readonly counts: ReadonlyMap<number, number>; readonly work: number }

/** A function's blocks that V8 has told so far. It leaves out a block with the count of the block around it. */
type KnownFunction = { name: string; blocks: Map<string, KnownBlock>; calls: number }
type KnownBlock = { id: number; start: number; end: number }

/**
 * V8's counts of executed blocks in the files of a reader (Profiler.takePreciseCoverage). Files that were loaded before are not counted
 * by blocks: begin before they are imported.
 */
export class Coverage {
  readonly #session = new Session()
  readonly #places: readonly string[]
  readonly #functions = new Map<string, Map<string, KnownFunction>>()
  #blocks = 0

  /** @param places files of the repository, or folders with a slash at their end */
  constructor(places: readonly string[]) {
    this.#places = places.map((place) => pathToFileURL(join(ROOT, place)).href)
    this.#session.connect()
    this.#session.post("Profiler.enable")
    this.#session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true })
  }

  /** Blocks known so far, executed or not. */
  get blocks(): number {
    return this.#blocks
  }

  take(): Counts {
    const counts = new Map<number, number>()
    let work = 0
    for (const { url, functions } of this.#taken()) {
      if (!this.#places.some((place) => (place.endsWith("/") ? url.startsWith(place) : url === place)))
        continue
      const known = this.#knownOf(url)
      for (const one of functions) work += this.#count(known, one, counts)
    }
    return { counts, work }
  }

  /** Names of functions of a file that were called since the start. */
  calledFunctions(file: string): Set<string> {
    const known = this.#functions.get(pathToFileURL(join(ROOT, file)).href)?.values() ?? []
    return new Set([...known].filter(({ calls }) => calls > 0).map(({ name }) => name))
  }

  #taken(): readonly Profiler.ScriptCoverage[] {
    let taken: readonly Profiler.ScriptCoverage[] | undefined
    // A session of the same thread answers at once.
    this.#session.post("Profiler.takePreciseCoverage", (error, { result }) => {
      if (error === null) taken = result
    })
    if (taken === undefined) throw new Error("V8 gives no coverage")
    return taken
  }

  #knownOf(url: string): Map<string, KnownFunction> {
    const known = this.#functions.get(url) ?? new Map<string, KnownFunction>()
    this.#functions.set(url, known)
    return known
  }

  #count(
    known: Map<string, KnownFunction>,
    { functionName, ranges }: Profiler.FunctionCoverage,
    counts: Map<number, number>,
  ): number {
    const [whole] = ranges
    if (whole === undefined) return 0
    const name = `${whole.startOffset}-${whole.endOffset}`
    const one = known.get(name) ?? { name: functionName, blocks: new Map<string, KnownBlock>(), calls: 0 }
    known.set(name, one)
    one.calls += whole.count
    let work = 0
    for (const { startOffset, endOffset, count } of ranges) {
      work += count
      const place = `${startOffset}-${endOffset}`
      if (one.blocks.has(place)) continue
      one.blocks.set(place, { id: this.#blocks++, start: startOffset, end: endOffset })
    }
    // Ranges are ordered so that those within another follow it: the last that holds a block is the innermost.
    for (const { id, start, end } of one.blocks.values()) {
      const innermost = ranges.findLast(
        ({ startOffset, endOffset }) => startOffset <= start && end <= endOffset,
      )
      if (innermost !== undefined && innermost.count > 0) counts.set(id, innermost.count)
    }
    return work
  }
}
