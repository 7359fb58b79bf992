import { constants } from "node:os"

/** Calls `say` when the user interrupts with Ctrl-C, then ends the process; until the returned function is called. */
export function onInterrupt(say: () => void): () => void {
  const interrupted = () => {
    say()
    process.exit(128 + constants.signals.SIGINT)
  }
  process.once("SIGINT", interrupted)
  return () => void process.off("SIGINT", interrupted)
}
