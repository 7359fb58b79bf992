/** Bytes in one page: well under the limit of a message. */
const PAGE_BYTES = 4 * 1024 * 1024

/**
 * Number of items that fit into a page; at least one, so that the caller can continue after it.
 *
 * @param maxItems limit besides that in bytes
 * @param reserved bytes of the page that other parts take
 */
export function pageLength(sizes: readonly number[], maxItems = Infinity, reserved = 0): number {
  let total = reserved
  const beyond = sizes.findIndex((size, index) => {
    total += size
    return index > 0 && (index >= maxItems || total > PAGE_BYTES)
  })
  return beyond === -1 ? sizes.length : beyond
}
