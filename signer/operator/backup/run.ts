import { giveWay } from "../../core/backup-files/give-way.ts"
import type { SignerConfig } from "../../enclave/config.ts"
import type { CommandResult } from "../command-result.ts"
import type { BackupCommand } from "./command-line.ts"

/** Runs a command about backups. Each loads what it needs. */
export async function runBackup(
  command: BackupCommand,
  configOf: () => SignerConfig,
  environment: NodeJS.ProcessEnv,
): Promise<CommandResult> {
  if (command.verb === "create" || command.verb === "host") giveWay()
  switch (command.verb) {
    case "key": {
      const { makeHolderKey } = await import("./key.ts")
      return makeHolderKey(command)
    }
    case "create": {
      const { createBackup } = await import("./create.ts")
      return createBackup(command, configOf(), environment)
    }
    case "host": {
      const { backUpHost } = await import("./host.ts")
      return backUpHost(command)
    }
    case "verify": {
      const { verifyBackup } = await import("./verify.ts")
      return verifyBackup(command)
    }
    case "restore": {
      const { restoreBackup } = await import("./restore.ts")
      return restoreBackup(command, configOf())
    }
    case "rehearse": {
      const { rehearseBackup } = await import("./rehearse.ts")
      return rehearseBackup(command, configOf(), environment)
    }
    default:
      return command satisfies never
  }
}
