/** A JSON object of somebody else's making. */
export type Members = { readonly [name: string]: unknown }

export function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** The member if it is a string; whatever else it may be counts as absent. */
export function textOf(members: Members, name: string): string | undefined {
  const value = members[name]
  return typeof value === "string" ? value : undefined
}
