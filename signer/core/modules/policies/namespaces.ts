// Types of velocity controls in conditions of policies.
import { bool, struct } from "../../policy/language/types.ts"

/**
 * `controls`: the organization's velocity controls by their identifiers. Each is true if its comparison is true with this
 * request counted in. Only conditions of policies read them.
 */
const controls = struct("Controls", {}, { others: bool })

export const roots = { controls }
