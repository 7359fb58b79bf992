import { readIdl } from "../../../../signer/core/contract-interface/idl.ts"

// Parts of IDLs, of any value: good ones and bad ones.

export const field = (name: unknown, type: unknown) => ({ name, type })
export const instruction = (name: unknown, args: unknown = [], more: object = {}) => ({
  name,
  accounts: [],
  args,
  ...more,
})
export const idl = (instructions: unknown, types: unknown = []) => ({
  version: "0.1.0",
  name: "p",
  instructions,
  types,
})
export const struct = (name: unknown, ...fields: unknown[]) => ({ name, type: { kind: "struct", fields } })
export const read = (value: unknown) => readIdl(JSON.stringify(value))
