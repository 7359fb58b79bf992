// Calls about on-ramps.
import { orderOnRampStatus } from "./purchase-status.ts"

export const calls = { orderOnRampStatus }
