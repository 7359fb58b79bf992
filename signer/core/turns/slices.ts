/**
 * Maps a list, with a turn of the event loop after each `size` items: other requests wait for one slice, and not for the
 * list.
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
