const POLL = "poll list_activities"

/** Replacements, by path, for operations that this release does not serve. */
const REPLACEMENTS: ReadonlyMap<string, string> = new Map([
  ...each(POLL, "create_webhook_endpoint update_webhook_endpoint delete_webhook_endpoint"),
  ...each(POLL, "list_webhook_endpoints"),
])

/** Undefined for an operation that is served. */
export function replacementFor(path: string): string | undefined {
  return REPLACEMENTS.get(path)
}

function each(sentence: string, paths: string): [string, string][] {
  return paths.split(" ").map((path) => [path, sentence])
}
