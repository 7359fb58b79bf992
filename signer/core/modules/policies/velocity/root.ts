import { members, type RootReader } from "../../../policy/expression.ts"
import type { ControlReading } from "../../../policy/controls.ts"

/**
 * The root `controls` besides those of an item: of each control, whether its comparison is true. The bucket with the largest
 * total decides: the others are further from the threshold.
 */
export function withControls(item: RootReader, controls: readonly ControlReading[]): RootReader {
  const deciding = new Map<string, ControlReading>()
  for (const reading of controls) {
    const { identifier } = reading.control
    const other = deciding.get(identifier)
    if (other === undefined || reading.total > other.total) deciding.set(identifier, reading)
  }
  const value = members(
    Object.fromEntries(Array.from(deciding, ([identifier, { value: holds }]) => [identifier, holds])),
  )
  return (root) => (root === "controls" ? value : item(root))
}
