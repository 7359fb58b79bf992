import { constants } from "node:os"

/**
 * Calls `stop` at the first SIGTERM or SIGINT. A second one, of either kind, ends the process at once. Written twice, here
 * and in `services/common/stop.ts`, for the reason given in `exit-with-parent.ts`.
 */
export function onStopSignal(stop: (signal: string) => void): void {
  let isStopping = false
  for (const name of ["SIGTERM", "SIGINT"] as const)
    process.on(name, () => {
      if (isStopping) process.exit(128 + constants.signals[name])
      isStopping = true
      stop(name)
    })
}
