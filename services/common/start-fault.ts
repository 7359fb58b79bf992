import { FAULT, type StartFault, startFaultOf } from "../../signer/core/settings/start-fault.ts"
import type { Logger } from "./logger.ts"

/**
 * Logs why a process cannot start, in one sentence; the error itself only if it is a fault of the program.
 *
 * @param fault what the process knows of the error itself
 * @returns the exit status, see docs/ERRORS.md
 */
export function logStartFault(log: Logger, error: unknown, fault?: StartFault): number {
  const known = fault ?? startFaultOf(error)
  if (known === undefined) log.fatal({ err: error }, "this process cannot start")
  else log.fatal(`this process cannot start: ${known.sentence}`)
  return known?.status ?? FAULT
}
