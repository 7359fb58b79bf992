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

/** Every state that can be reached, breadth first. */
export function explore<State, Event>(machine: Machine<State, Event>): Reached<State, Event>[] {
  const { initial, events, next, key } = machine
  const reached: Reached<State, Event>[] = [{ state: initial, path: [] }]
  const known = new Set([key(initial)])
  for (const { state, path } of reached)
    for (const event of events) {
      const following = next(state, event)
      if (known.has(key(following))) continue
      known.add(key(following))
      reached.push({ state: following, path: [...path, event] })
    }
  return reached
}
