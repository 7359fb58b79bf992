import { installAt } from "../../process/install-at.ts"
import type { CommandResult } from "../command-result.ts"

/** `root`: folder below which the host's files lie. */
export type InstallCommand = { verb: "install"; root: string }

/** Folder of the records where another user sends them: the signer writes, the sender's group reads. */
const RECORDS = { path: "/var/lib/countersign-audit", writer: "countersign-signer" }

/** Installs the sender of the audit stream, and the folder that it reads. It starts nothing. @throws {UsageFault} in a checkout */
export function installSender({ root }: InstallCommand): CommandResult {
  return installAt("audit-sender", root, RECORDS)
}
