/** `facts`: the content that is signed, by names. `warning`: why its meaning cannot be seen. */
export type Decoded = {
  title: string
  facts: readonly (readonly [name: string, value: string])[]
  warning?: string
}
