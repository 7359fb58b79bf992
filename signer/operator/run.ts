import { BackupFault } from "../core/backup/fault.ts"
import { JoinFault } from "../core/join/fault.ts"
import { REFUSED, StartError, startFaultOf } from "../core/settings/start-fault.ts"
import { SettingsError } from "../core/settings/settings.ts"
import { requireIntactRelease } from "../process/intact-release.ts"
import { Refusal } from "../core/refusal.ts"
import { ownVersion } from "../process/own-version.ts"
import { authorityPlacesOf, listConfig, readConfig } from "../enclave/config.ts"
import { showSettings } from "../process/show-settings.ts"
import { terminal } from "../process/terminal.ts"
import { auditUsage } from "./audit/command-line.ts"
import { backupUsage } from "./backup/command-line.ts"
import type { CommandResult } from "./command-result.ts"
import { pinsResult, runCommand } from "./run-command.ts"
import { confinement, doctor } from "./doctor.ts"
import { UsageFault } from "../core/command-line.ts"
import { type ParsedCommand, readCommand, usage } from "./command-line.ts"

/** Exit statuses, the same as those of `countersign`. */
const DONE = 0
const FAULT = 1
const USAGE = 2

/** Runs one command line of `countersign-signer`: result on standard output, all else on standard error. */
export async function run(words: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  try {
    const command = readCommand(words)
    switch (command.name) {
      case "help":
        usage.split("\n").forEach(terminal.print)
        return DONE
      case "backup-help":
        backupUsage.split("\n").forEach(terminal.print)
        return DONE
      case "audit-help":
        auditUsage.split("\n").forEach(terminal.print)
        return DONE
      case "version":
        terminal.print(ownVersion())
        return DONE
      case "serve":
        // The import starts it.
        await import("../enclave/main.ts")
        return DONE
      case "config":
        showSettings(listConfig, environment, command.json)
        return DONE
      default: {
        const result = await resultOf(command, environment)
        print(result, command)
        return result.exitStatus ?? DONE
      }
    }
  } catch (error) {
    const lines = linesOf(error)
    const exitStatus = statusOf(error)
    const asJson = () => [JSON.stringify({ error: { exitStatus, message: lines.join("\n") } })]
    for (const line of words.includes("--json") ? asJson() : lines) terminal.log(line)
    return exitStatus
  }
}

type ResultCommand = Exclude<
  ParsedCommand,
  { name: "help" | "backup-help" | "audit-help" | "version" | "serve" | "config" }
>

/** Rooms of one command are loaded here: no other command needs the ledger, the authority or the shares. */
async function resultOf(command: ResultCommand, environment: NodeJS.ProcessEnv): Promise<CommandResult> {
  switch (command.name) {
    case "init": {
      const { createDeployment } = await import("../enclave/create-deployment.ts")
      requireIntactRelease("signer")
      process.umask(0o077)
      return pinsResult(createDeployment(readConfig(environment)))
    }
    case "audit": {
      const { runAudit } = await import("./audit/run.ts")
      return runAudit(command, () => readConfig(environment))
    }
    case "backup": {
      const { runBackup } = await import("./backup/run.ts")
      process.umask(0o077)
      return runBackup(command, () => readConfig(environment), environment)
    }
    case "install": {
      const { installHere } = await import("./install.ts")
      return installHere(command.root)
    }
    case "certificate":
    case "pair-by-line":
    case "revoke": {
      const { certify, pairByLine, revoke } = await import("./certify.ts")
      process.umask(0o077)
      const places = authorityPlacesOf(environment)
      if (command.name === "pair-by-line") return pairByLine(command, places)
      return command.name === "certificate" ? certify(command, places) : revoke(command, places)
    }
    case "ceremony":
    case "change-shares":
    case "change-holders":
    case "change-daily":
    case "change-witnesses":
    case "leave-production":
    case "approve":
    case "holder":
    case "unlock":
    case "lock": {
      const { runSealCommand } = await import("./run-seal-command.ts")
      return runSealCommand(command, environment)
    }
    case "doctor":
      return command.isConfinement ? confinement() : doctor(readConfig(environment))
    default:
      return runCommand(command, readConfig(environment))
  }
}

function statusOf(error: unknown): number {
  if (error instanceof UsageFault || error instanceof SettingsError) return USAGE
  if (error instanceof JoinFault) return error.kind === "usage" ? USAGE : REFUSED
  if (error instanceof Refusal || error instanceof BackupFault) return REFUSED
  return error instanceof StartError ? error.status : FAULT
}

function print({ lines, json }: CommandResult, options: { json: boolean }): void {
  for (const line of options.json ? [JSON.stringify(json)] : lines) terminal.print(line)
}

/** Faults of words and settings are this program's own text, with lines. Other messages come from the signer. */
function linesOf(error: unknown): string[] {
  const message = startFaultOf(error)?.sentence ?? (error instanceof Error ? error.message : String(error))
  const sentence = `countersign-signer: ${message}`
  return error instanceof UsageFault || error instanceof SettingsError ? sentence.split("\n") : [sentence]
}
