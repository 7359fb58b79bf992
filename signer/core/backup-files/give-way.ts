import { getPriority, setPriority } from "node:os"

/** A niceness: on two cores a backup takes as much of a processor as it gets, and signatures of the same host must not wait for it. */
const BEHIND_CALLERS = 10

/** Lets the processes of the deployment go first. For the program of a command alone: it holds until the process ends. */
export function giveWay(): void {
  try {
    // An operator may have started it with a greater one.
    setPriority(Math.max(BEHIND_CALLERS, getPriority()))
  } catch {
    // A sandbox may forbid it: the backup is made all the same.
  }
}
