/** Files with guards that are mutated together, and the tests that must notice each change. */
export type Room = {
  /** Globs, relative to the repository. */
  readonly mutate: readonly string[]
  /** Test files; they run in one process in this order, and a mutant ends the run at the first test that fails. */
  readonly tests: readonly string[]
  /** The files run in threads too, where their coverage is not seen: every test is run for every mutant. */
  readonly isThreaded?: true
}

export type Rooms = { readonly [name: string]: Room }
