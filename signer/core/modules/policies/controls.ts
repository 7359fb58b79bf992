// Velocity controls in decisions: what a request adds to them, and what their counters keep.
import { excessOf, readControls, rootsCounted, writeExcess } from "./velocity/counting.ts"
import { withControls } from "./velocity/root.ts"
import { slotEndMs, withData } from "./velocity/window.ts"

export const controls = {
  excessOf,
  readControls,
  rootsCounted,
  slotEndMs,
  withControls,
  withData,
  writeExcess,
}
