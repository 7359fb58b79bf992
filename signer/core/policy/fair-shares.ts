import { isSteps, type Steps } from "../turns/steps.ts"
import { Budget } from "./language/frame.ts"
import { MAX_STEPS } from "./language/limits.ts"

/**
 * Runs tasks on one budget so that no task takes the steps of another. Each task gets an equal share. Steps that tasks
 * leave go to the unfinished ones, which begin again, in equal shares that at least double. So the result does not depend
 * on the order of the tasks. A task that fits into an equal share of the whole budget always finishes. All finish if
 * together they take a third of it: the steps that a task spends in vain double each time, and are less than twice its cost.
 * @param run true: the task finished within its share; its steps must not depend on other tasks
 * @returns the tasks that did not finish; each step is one run, or a step of it
 */
export function* inFairShares<Task>(
  tasks: Iterable<Task>,
  budget: Budget,
  run: (task: Task, share: Budget) => boolean | Steps<boolean>,
): Steps<readonly Task[]> {
  let unfinished = [...tasks]
  let last = 0
  while (unfinished.length > 0) {
    const steps = Math.min(MAX_STEPS, Math.floor(budget.left / unfinished.length))
    if (steps <= last || steps < Math.min(2 * last, MAX_STEPS)) break
    const rest: Task[] = []
    for (const task of unfinished) {
      const share = new Budget(steps)
      const result = run(task, share)
      if (!(isSteps(result) ? yield* result : result)) rest.push(task)
      budget.spend(steps - share.left)
      yield
    }
    unfinished = rest
    last = steps
  }
  return unfinished
}
