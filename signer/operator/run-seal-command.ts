import { UsageFault } from "../core/command-line.ts"
import type { SignerConfig } from "../enclave/config.ts"
import {
  type HolderTerminal,
  isAtTerminal,
  openHolderTerminal,
} from "../core/seal-commands/holder-terminal.ts"
import { requireIntactRelease } from "../process/intact-release.ts"
import type { ParsedCommand } from "./command-line.ts"
import type { CommandResult } from "./command-result.ts"

/** The commands about the sealed seed and its holders. */
export type SealCommand = Extract<
  ParsedCommand,
  {
    name:
      | "ceremony"
      | "change-shares"
      | "change-holders"
      | "change-daily"
      | "change-witnesses"
      | "leave-production"
      | "accept-seal"
      | "export-authority"
      | "approve"
      | "holder"
      | "unlock"
      | "lock"
  }
>

/** Runs a command about the sealed seed. Rooms of one command are loaded here. */
export async function runSealCommand(
  command: SealCommand,
  configOf: () => SignerConfig,
): Promise<CommandResult> {
  switch (command.name) {
    case "ceremony":
    case "change-shares": {
      const { ceremony, changeShares } = await import("./ceremony/ceremony.ts")
      const make = command.name === "ceremony" ? ceremony : changeShares
      const config = beginChange(configOf)
      const needsTerminal = `${command.name} needs a terminal: holders read and type their shares there`
      return atTerminal((holder) => make(command, config, holder), needsTerminal)
    }
    case "change-holders":
    case "change-daily":
    case "change-witnesses":
    case "leave-production":
    case "accept-seal": {
      const { fileChanges } = await import("./ceremony/change-file.ts")
      const config = beginChange(configOf)
      return atTerminal((holder) => fileChanges[command.name](command, config, holder))
    }
    case "export-authority": {
      const { exportAuthority } = await import("./ceremony/export-authority.ts")
      const config = beginChange(configOf)
      return atTerminal((holder) => exportAuthority(command, config, holder))
    }
    case "approve": {
      const { prepare } = await import("./holders/prepare.ts")
      return prepare(command, configOf())
    }
    case "holder": {
      const { holder } = await import("./holders/holder.ts")
      process.umask(0o077)
      return atTerminal((at) => holder(command, at))
    }
    case "unlock":
    case "lock": {
      const { lock, unlock } = await import("../process/unlock-client.ts")
      const config = configOf()
      return command.name === "lock"
        ? lock(command, config)
        : atTerminal((holder) => unlock(command, config, holder))
    }
    default:
      return command satisfies never
  }
}

/** The settings, for a command that writes the sealed file. */
function beginChange(configOf: () => SignerConfig) {
  requireIntactRelease("signer")
  process.umask(0o077)
  return configOf()
}

/** `needsTerminal`: the fault where input or output is a file or a pipe, which would keep shares. */
async function atTerminal<T>(
  use: (holder: HolderTerminal) => Promise<T>,
  needsTerminal?: string,
): Promise<T> {
  if (needsTerminal !== undefined && !isAtTerminal()) throw new UsageFault(needsTerminal)
  const holder = openHolderTerminal()
  try {
    return await use(holder)
  } finally {
    holder.close()
  }
}
