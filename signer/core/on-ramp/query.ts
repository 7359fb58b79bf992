/** Parameters of a query in their order; those without a value are left out. */
export type QueryParameters = readonly (readonly [name: string, value: string])[]

/** `?name=value&…`, values percent-encoded (RFC 3986 section 2.1). */
export function queryOf(parameters: QueryParameters): string {
  const parts = parameters.filter(([, value]) => value !== "")
  return `?${parts.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&")}`
}
