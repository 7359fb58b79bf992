// Keys of transactions, each from its own branch of the root seed.
import { openPaymaster } from "./paymaster.ts"

export const keys = { paymaster: { branch: "paymaster", open: openPaymaster } }
