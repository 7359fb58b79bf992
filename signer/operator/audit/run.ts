import type { SignerConfig } from "../../enclave/config.ts"
import type { CommandResult } from "../command-result.ts"
import type { AuditCommand } from "./command-line.ts"

/** Runs a command about the audit stream. Each loads what it needs. */
export async function runAudit(command: AuditCommand, configOf: () => SignerConfig): Promise<CommandResult> {
  if (command.verb === "install") {
    const { installSender } = await import("./install.ts")
    return installSender(command)
  }
  const { directory = configOf().audit.directory } = command
  switch (command.verb) {
    case "tail": {
      const { tailAudit } = await import("./tail.ts")
      return tailAudit(command, directory)
    }
    case "verify": {
      const { verifyAudit } = await import("./verify.ts")
      return verifyAudit(command, { directory, configOf })
    }
    case "export": {
      const { exportAudit } = await import("./export.ts")
      return exportAudit(command, { directory, configOf })
    }
    case "send": {
      const { sendAudit } = await import("../audit-send/send.ts")
      return sendAudit(command, directory)
    }
    default:
      return command satisfies never
  }
}
