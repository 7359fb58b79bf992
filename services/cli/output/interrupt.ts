import { constants } from "node:os"

/** Calls `say` when the user interrupts with Ctrl-C, then ends the process; until it is disposed. */
export function onInterrupt(say: () => void): Disposable {
  const interrupted = () => {
    say()
    process.exit(128 + constants.signals.SIGINT)
  }
  process.once("SIGINT", interrupted)
  return { [Symbol.dispose]: () => void process.off("SIGINT", interrupted) }
}
