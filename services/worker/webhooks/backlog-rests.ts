/** Longest time of a window that a rest makes up for, milliseconds: what is longer was spent waiting for the receiver. */
const LONGEST_MS = 250

/**
 * Rests of targets with a backlog. After each full window a target rests for as long as all such targets would take for
 * theirs, so that backlogs together use at most the time of one target that never rests, whatever their number: users'
 * requests need the database and the processors too.
 */
export class BacklogRests {
  readonly #backlogs = new Set<string>()

  /** Milliseconds for which a target rests after a full window that took `tookMs`. */
  after(endpointId: string, tookMs: number): number {
    this.#backlogs.add(endpointId)
    return Math.min(tookMs, LONGEST_MS) * this.#backlogs.size
  }

  /** The target's turn is over. */
  ended(endpointId: string): void {
    this.#backlogs.delete(endpointId)
  }
}
