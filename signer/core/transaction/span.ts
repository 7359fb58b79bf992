/** Bytes of a transaction. `offset`: the place of the first one. */
export type ByteSpan = { readonly bytes: Uint8Array; readonly offset: number }
