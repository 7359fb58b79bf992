/** The value at a path of members such as `credential.publicKey`. */
export function memberAt(value: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>(
      (at, name) =>
        typeof at === "object" && at !== null
          ? (at as { readonly [member: string]: unknown })[name]
          : undefined,
      value,
    )
}
