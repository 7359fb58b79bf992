import { readBodyText } from "../../signer/core/request/read-body.ts"
import { wordsOfRequest } from "../../signer/core/words/request.ts"
import { activityBody } from "../terminal-client/api-client.ts"
import type { PlannedChange, PlannedActivity } from "./plan/change.ts"
import { changesOf, type Plan } from "./plan/plan.ts"

/** Lines that describe a plan: what each activity changes, and its sentence as the signer reads its body. */
export function linesOfPlan(plan: Plan, notes: readonly string[], organizationId: string): string[] {
  const changes = changesOf(plan)
  return [
    ...plan.activities.flatMap((planned) => [
      ...planned.changes.flatMap(linesOfChange),
      ...linesOfBody(planned, organizationId),
    ]),
    ...plan.byHand.map((sentence) => `by hand ${sentence}`),
    ...plan.kept.map((sentence) => `kept    ${sentence}`),
    ...notes.map((sentence) => `note    ${sentence}`),
    summary(changes),
  ]
}

export function titleOf({ action, kind, name }: PlannedChange): string {
  return `${action.padEnd(7)} ${name === "" ? kind : `${kind} ${name}`}`
}

/** No line while the body waits for the id of something that an earlier activity creates, or for a secret. */
function linesOfBody({ type, parameters }: PlannedActivity, organizationId: string): string[] {
  if (parameters === undefined) return []
  const request = readBodyText(activityBody(type, organizationId, parameters))
  return [`        = ${wordsOfRequest(request).line}`]
}

function linesOfChange(change: PlannedChange): string[] {
  const { gained, lost, members, warnings } = change
  return [
    titleOf(change),
    ...gained.map((line) => `        + ${line}`),
    ...lost.map((line) => `        - ${line}`),
    ...members.flatMap(linesOfMember),
    ...warnings.map((line) => `        WARNING ${line}`),
  ]
}

function linesOfMember({ member, before, after }: PlannedChange["members"][number]): string[] {
  const line = (sign: string, text: string) =>
    text === "" ? [] : text.split("\n").map((part) => `        ${sign} ${member}: ${part}`)
  return [...line("-", before), ...line("+", after)]
}

function summary(changes: readonly PlannedChange[]): string {
  if (changes.length === 0) return "nothing to do: the organization is as the file says"
  const count = (action: PlannedChange["action"]) =>
    changes.filter((change) => change.action === action).length
  const replaced = count("replace")
  return (
    `${count("create")} to create, ${count("update")} to update, ${count("delete")} to delete` +
    (replaced === 0 ? "" : `, ${replaced} to delete and create again`)
  )
}

/** The plan for programs. */
export function jsonOfPlan(plan: Plan, notes: readonly string[]): object {
  return {
    changes: plan.activities.flatMap(({ type, changes, needs }) =>
      changes.map((one) => ({ ...one, type, needs })),
    ),
    kept: plan.kept,
    byHand: plan.byHand,
    notes,
  }
}
