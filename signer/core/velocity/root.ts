import { members, type RootReader } from "../policy/expression.ts"
import type { ControlReading } from "./counting.ts"

/** The root `controls` besides those of an item: of each control, whether its comparison is true. */
export function withControls(item: RootReader, controls: readonly ControlReading[]): RootReader {
  const value = members(
    Object.fromEntries(controls.map(({ control, value: holds }) => [control.identifier, holds])),
  )
  return (root) => (root === "controls" ? value : item(root))
}
