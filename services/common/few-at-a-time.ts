/** Goes through a list a few items per turn of the event loop, the first ones at once. `use` does not throw. */
export function fewAtATime<Item>(items: readonly Item[], few: number, use: (item: Item) => void): void {
  const go = (from: number): void => {
    const next = from + few
    for (const item of items.slice(from, next)) use(item)
    if (next < items.length) setImmediate(go, next)
  }
  go(0)
}
