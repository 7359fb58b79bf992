import { resolve } from "node:path"
import { UsageFault } from "../core/command-line.ts"
import { install, type Installed, linesOfInstallation, type SharedFolder } from "../core/install/install.ts"
import { hostAt, readText } from "../core/install/host.ts"

const FOLDER = resolve(import.meta.dirname, "..", "..")

/** Installs a process of this release on the host whose files lie below `root`. @throws {UsageFault} in a checkout */
export function installAt(
  zone: string,
  root: string,
  reads?: SharedFolder,
): { lines: string[]; json: Installed } {
  if (root === "/" && process.getuid?.() !== 0)
    throw new UsageFault(
      "install makes a user, folders and a unit: run it as root, or name another folder with --root",
    )
  const order = { zone, folder: FOLDER, ...(reads && { reads }) }
  const installed = install(order, readText, hostAt(resolve(root)))
  return { lines: linesOfInstallation(installed), json: installed }
}
