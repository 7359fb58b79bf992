import { refuse } from "../../../refusal.ts"

/** A name of the policy language. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Words that have another meaning behind a dot, or anywhere. */
const RESERVED: ReadonlySet<string> = new Set(["count", "in", "true", "false"])

/** Requires a name that conditions can read as `controls.<identifier>`. @throws VELOCITY_CONTROL_INVALID */
export function requireIdentifier(identifier: string, field: string): void {
  if (NAME.test(identifier) && !RESERVED.has(identifier)) return
  const sentence =
    `${field}: "${identifier}" cannot be read as controls.<identifier>; use letters, digits and _ without a digit in ` +
    `front, and none of ${[...RESERVED].join(", ")}`
  throw refuse("VELOCITY_CONTROL_INVALID", sentence, { field })
}
