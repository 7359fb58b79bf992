import { CliError, ExitCode } from "../terminal-client/exit.ts"
import type { PlannedChange, PlannedActivity } from "./plan/change.ts"
import { changesOf, type Plan } from "./plan/plan.ts"
import { titleOf } from "./words.ts"

/**
 * The changes that were shown before anything was sent. Each round reads the organization from the API again, and its answer
 * may have changed. A change is stamped only if its object was shown. A deletion, or an update that removes something,
 * must have been shown as such.
 */
export class ShownPlan {
  readonly #changed: ReadonlySet<string>
  readonly #removed: ReadonlySet<string>
  readonly #lost: ReadonlySet<string>

  constructor(plan: Plan) {
    const changes = changesOf(plan)
    this.#changed = new Set(changes.filter(({ action }) => action !== "delete").map(objectOf))
    this.#removed = new Set(changes.filter(isRemoval).map(objectOf))
    this.#lost = new Set(changes.flatMap(lossesOf))
  }

  /** @throws {CliError} verificationFailed: an activity has a change that was not shown */
  require(activities: readonly PlannedActivity[]): void {
    const unshown = activities.flatMap(({ changes }) => changes).find((change) => !this.#has(change))
    if (unshown === undefined) return
    const title = titleOf(unshown).replace(/ +/, " ")
    throw new CliError(ExitCode.verificationFailed, [
      `the API shows another organization than before: "${title}" was not in the plan with all that it takes away`,
      "It was not sent. What was done before stays. The same command shows the present plan",
    ])
  }

  /** An object that was shown as replaced or created may be created or updated in a later round. */
  #has(change: PlannedChange): boolean {
    const object = objectOf(change)
    if (isRemoval(change) && !this.#removed.has(object)) return false
    if (change.action === "delete") return true
    const isShown = change.action !== "update" || lossesOf(change).every((loss) => this.#lost.has(loss))
    return isShown && this.#changed.has(object)
  }
}

function objectOf({ kind, name }: PlannedChange): string {
  return JSON.stringify([kind, name])
}

function lossesOf(change: PlannedChange): string[] {
  return change.lost.map((loss) => JSON.stringify([objectOf(change), loss]))
}

function isRemoval({ action }: PlannedChange): boolean {
  return action === "delete" || action === "replace"
}
