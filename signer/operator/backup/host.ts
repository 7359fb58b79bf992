import { resolve } from "node:path"
import { backUpSignerHost, type SignerHostCommand } from "../../core/backup-host/host-backup.ts"
import { runAs } from "../../core/backup-host/run-as.ts"
import type { CommandResult } from "../command-result.ts"

export type HostCommand = { verb: "host" } & SignerHostCommand

/** Makes the backup of this host. */
export function backUpHost({ out, holders, parts }: HostCommand): Promise<CommandResult> {
  const command = {
    out: resolve(out),
    holders: holders && resolve(holders),
    parts: parts && resolve(parts),
  }
  return backUpSignerHost(command, { root: "/", nowMs: Date.now(), run: runAs(process.env["PATH"]) })
}
