/** Replacements, by path, for operations that this release does not serve. At present each path is served in some version. */
const REPLACEMENTS: ReadonlyMap<string, string> = new Map()

/** Undefined for an operation that is served. */
export function replacementFor(path: string): string | undefined {
  return REPLACEMENTS.get(path)
}
