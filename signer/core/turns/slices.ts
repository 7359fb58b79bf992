/**
 * Maps a list, and yields to the event loop after each `size` items, so that other requests wait for one slice at most.
 */
export async function inSlices<Item, Result>(
  items: readonly Item[],
  { size }: { size: number },
  step: (item: Item, index: number) => Result,
): Promise<Result[]> {
  const results: Result[] = []
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % size === 0) await nextTurn()
    results.push(step(item, index))
  }
  return results
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
