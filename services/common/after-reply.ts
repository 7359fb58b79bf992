/** Tasks that no caller waits for, in their order. */
let waiting: (() => void)[] = []

/**
 * Runs a task once the reply of this turn of the event loop is written. It must not throw.
 */
export function afterReply(task: () => void): void {
  if (waiting.length === 0) setImmediate(runWaiting)
  waiting.push(task)
}

// An exit in the same turn, as at a second signal, runs them too. The log writes its lines after this listener.
process.prependListener("exit", runWaiting)

function runWaiting(): void {
  const tasks = waiting
  waiting = []
  for (const task of tasks) task()
}
