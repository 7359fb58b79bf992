/** A small state machine, in which every event leads from a state to one next state. */
export type Machine<State, Event> = {
  initial: State
  /** The events that are tried in every state. */
  events: readonly Event[]
  next: (state: State, event: Event) => State
  /** Equal for equal states. */
  key: (state: State) => string
}

/** `path`: events of a shortest way from the initial state. */
export type Reached<State, Event> = { state: State; path: readonly Event[] }

/** The states that can be reached, those of the shortest paths first. A faulty machine may have no end of them. */
export function* explore<State, Event>(machine: Machine<State, Event>): Generator<Reached<State, Event>> {
  const { initial, events, next, key } = machine
  const reached: Reached<State, Event>[] = [{ state: initial, path: [] }]
  const known = new Set([key(initial)])
  for (const from of reached) {
    yield from
    for (const event of events) {
      const state = next(from.state, event)
      if (known.has(key(state))) continue
      known.add(key(state))
      reached.push({ state, path: [...from.path, event] })
    }
  }
}
