import { accessSync, constants, statSync } from "node:fs"
import { type Check, ok } from "../core/checks.ts"

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
