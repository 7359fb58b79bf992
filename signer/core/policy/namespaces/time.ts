import { timestamp } from "../language/types.ts"

/** `time.now`: the one instant of a request, milliseconds since the Unix epoch. */
export const now = timestamp
