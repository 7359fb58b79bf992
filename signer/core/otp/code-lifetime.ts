import { refuse } from "../refusal.ts"

/** Shortest validity of a one-time code, seconds: a mail alone may take so long. */
const MIN_CODE_SECONDS = 60

/**
 * Refuses a new code lifetime that is too short. Settings and requests that were accepted before keep theirs, so the contract
 * does not have the bound: bodies that were stored are read by it.
 *
 * @param seconds as the request has it; undefined: not given
 * @throws REQUEST_INVALID
 */
export function requireCodeLifetime(seconds: string | number | undefined, field: string): void {
  if (seconds === undefined || Number(seconds) >= MIN_CODE_SECONDS) return
  const sentence = `${field} is ${seconds}: a code is valid for ${MIN_CODE_SECONDS} seconds at least, so that its message arrives; use ${MIN_CODE_SECONDS} to 600`
  throw refuse("REQUEST_INVALID", sentence, { field })
}
