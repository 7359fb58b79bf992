/** Typed data with one struct T, which has one member `m` of the type, and a value for it. */
export const typedDataOf = (type: string, value: unknown, extra: Record<string, unknown> = {}) =>
  JSON.stringify({
    types: { T: [{ name: "m", type }], ...extra },
    primaryType: "T",
    domain: {},
    message: { m: value },
  })
