import { resolve } from "node:path"
import { install, linesOfInstallation } from "../core/install/install.ts"
import { hostAt, readText } from "../process/host.ts"
import type { CommandResult } from "./command-result.ts"

const FOLDER = resolve(import.meta.dirname, "..", "..")

/** Installs the signer of this release on the host whose files lie below `root`. @throws {UsageFault} in a checkout */
export function installHere(root: string): CommandResult {
  const installed = install({ zone: "signer", folder: FOLDER }, readText, hostAt(resolve(root)))
  return { lines: linesOfInstallation(installed), json: installed }
}
