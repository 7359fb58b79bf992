// Calls about transactions.
import { readGasUsage } from "./gas-usage.ts"

export const calls = { readGasUsage }
