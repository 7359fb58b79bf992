import { accessSync, constants, statSync } from "node:fs"

/** Result of one check of a `doctor` command. FAULT: the operator has to act. DOWN: a process does not answer. */
export type Check = { name: string; state: "ok" | "FAULT" | "DOWN"; sentence: string }

export function ok(name: string, sentence: string): Check {
  return { name, state: "ok", sentence }
}

/** Checks, without reading it, that a file with a secret exists and that only its owner can open it. */
export function checkSecretFile(name: string, file: string, remedy: string): Check {
  try {
    const { mode } = statSync(file)
    if ((mode & 0o077) !== 0)
      return { name, state: "FAULT", sentence: `${file} is accessible to other users: set its mode to 0600` }
    accessSync(file, constants.R_OK)
    return ok(name, `${file}, readable by its owner alone`)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const sentence =
      code === "ENOENT" ? `${file} does not exist: ${remedy}` : `${file} cannot be read (${code})`
    return { name, state: "FAULT", sentence }
  }
}

export function linesOfChecks(checks: readonly Check[]): string[] {
  return checks.map(({ name, state, sentence }) => `${state.padEnd(7)} ${name}: ${sentence}`)
}

/** Exit status: 1 for a fault, 5 for a process that does not answer (docs/ERRORS.md). */
export function statusOfChecks(checks: readonly Check[]): number {
  if (checks.some(({ state }) => state === "FAULT")) return 1
  return checks.some(({ state }) => state === "DOWN") ? 5 : 0
}
