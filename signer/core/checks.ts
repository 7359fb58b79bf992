import { FAULT, LOCKED_OR_UNREACHABLE } from "./settings/start-fault.ts"

/**
 * Result of one check of a `doctor` command, of every program. warn: it works, but a feature is off that the operator may
 * want. FAULT: the operator has to act. DOWN: a process or the database does not answer, or is not ready.
 */
export type Check = { name: string; state: "ok" | "warn" | "FAULT" | "DOWN"; sentence: string }

export function ok(name: string, sentence: string): Check {
  return { name, state: "ok", sentence }
}

export function warn(name: string, sentence: string): Check {
  return { name, state: "warn", sentence }
}

export function linesOfChecks(checks: readonly Check[]): string[] {
  return checks.map(({ name, state, sentence }) => `${state.padEnd(7)} ${name}: ${sentence}`)
}

/** Exit status: 1 for a fault, 5 for a process that does not answer (docs/ERRORS.md). */
export function statusOfChecks(checks: readonly Check[]): number {
  if (checks.some(({ state }) => state === "FAULT")) return FAULT
  return checks.some(({ state }) => state === "DOWN") ? LOCKED_OR_UNREACHABLE : 0
}
