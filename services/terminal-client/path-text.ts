/** `users[0].userName`; "" for the whole. */
export function pathText(path: readonly PropertyKey[]): string {
  const parts = path.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`))
  return parts.join("").replace(/^\./, "")
}
