/**
 * Awaits statements of one transaction that were sent together. If one fails, it waits for what the others still send, and throws
 * the first error: a statement that is sent after the transaction was rolled back would run outside of it.
 */
export async function together(parts: readonly PromiseLike<unknown>[]): Promise<void> {
  try {
    await Promise.all(parts)
  } catch (error) {
    await Promise.allSettled(parts)
    throw error
  }
}
