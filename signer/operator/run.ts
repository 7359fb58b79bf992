import { FAULT, REFUSED, StartError, startFaultOf, UsageError } from "../core/settings/start-fault.ts"
import { ownVersion } from "../process/own-version.ts"
import type { SignerConfig } from "../enclave/config.ts"
import { terminal } from "../process/terminal.ts"
import { auditUsage } from "./audit/command-line.ts"
import type { Noted } from "./audit/noted.ts"
import { backupUsage } from "./backup/command-line.ts"
import type { CommandResult } from "./command-result.ts"
import { type ParsedCommand, readCommand, usage } from "./command-line.ts"

const DONE = 0

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
      case "config": {
        const [{ admittedMembersFor, listConfig }, { showSettings }] = await Promise.all([
          settings(),
          import("../process/show-settings.ts"),
        ])
        showSettings(listConfig(await admittedMembersFor(environment)), environment, command.json)
        return DONE
      }
      default: {
        const result = await notedResult(command, environment)
        print(result, command)
        return result.exitStatus ?? DONE
      }
    }
  } catch (error) {
    const lines = linesOf(error)
    const exitStatus = await statusOf(error)
    const asJson = () => [JSON.stringify({ error: { exitStatus, message: lines.join("\n") } })]
    for (const line of words.includes("--json") ? asJson() : lines) terminal.log(line)
    return exitStatus
  }
}

type ResultCommand = Exclude<
  ParsedCommand,
  { name: "help" | "backup-help" | "audit-help" | "version" | "serve" | "config" }
>

const settings = () => import("../enclave/config.ts")

async function configOf(environment: NodeJS.ProcessEnv): Promise<SignerConfig> {
  return (await configReader(environment))()
}

/** Reads the settings once it is called: some commands have words in place of them. */
async function configReader(environment: NodeJS.ProcessEnv): Promise<() => SignerConfig> {
  const { admittedMembersFor, readConfig } = await settings()
  const admittedMembers = await admittedMembersFor(environment)
  return () => readConfig(environment, admittedMembers)
}

/** Runs a command. One that calls no signer and changes its files leaves notes for the audit stream. */
async function notedResult(command: ResultCommand, environment: NodeJS.ProcessEnv): Promise<CommandResult> {
  const note = noteOf(command)
  if (note === undefined) return resultOf(command, environment)
  const { noted } = await import("./audit/noted.ts")
  return noted(note, environment, () => resultOf(command, environment))
}

/** A restoration leaves its note in the stream that it restores. */
function noteOf(command: ResultCommand): Noted | undefined {
  switch (command.name) {
    case "init":
    case "ceremony":
    case "change-shares":
    case "change-holders":
    case "change-daily":
    case "change-witnesses":
    case "leave-production":
    case "accept-seal":
    case "export-authority":
      return { command: command.name }
    case "certificate":
      return { command: command.name, subject: "signer" }
    case "pair-by-line":
      return { command: "pair", subject: command.process }
    case "revoke":
      return { command: command.name, subject: command.serial ?? command.process }
    default:
      return undefined
  }
}

/** Rooms of one command are loaded here: a command line takes a tenth of a second, of which reading its words is a small part. */
async function resultOf(command: ResultCommand, environment: NodeJS.ProcessEnv): Promise<CommandResult> {
  switch (command.name) {
    case "init": {
      const { createDeployment } = await import("../enclave/create-deployment.ts")
      const { requireIntactRelease } = await import("../process/intact-release.ts")
      const { pinsResult } = await import("./run-command.ts")
      requireIntactRelease("signer")
      process.umask(0o077)
      return pinsResult(createDeployment(await configOf(environment)))
    }
    case "audit": {
      const { runAudit } = await import("./audit/run.ts")
      return runAudit(command, await configReader(environment))
    }
    case "backup": {
      const { runBackup } = await import("./backup/run.ts")
      process.umask(0o077)
      return runBackup(command, await configReader(environment), environment)
    }
    case "install": {
      const { installAt } = await import("../process/install-at.ts")
      return installAt("signer", command.root)
    }
    case "certificate":
    case "pair-by-line":
    case "revoke": {
      const { certify, pairByLine, revoke } = await import("./certify.ts")
      process.umask(0o077)
      const places = (await settings()).authorityPlacesOf(environment)
      if (command.name === "pair-by-line") return pairByLine(command, places)
      return command.name === "certificate" ? certify(command, places) : revoke(command, places)
    }
    case "ceremony":
    case "change-shares":
    case "change-holders":
    case "change-daily":
    case "change-witnesses":
    case "leave-production":
    case "accept-seal":
    case "export-authority":
    case "approve":
    case "holder":
    case "unlock":
    case "lock": {
      const { runSealCommand } = await import("./run-seal-command.ts")
      return runSealCommand(command, await configReader(environment))
    }
    case "doctor": {
      const { confinement, doctor } = await import("./doctor.ts")
      return command.isConfinement ? confinement() : doctor(await configOf(environment))
    }
    default: {
      const { runCommand } = await import("./run-command.ts")
      return runCommand(command, await configOf(environment))
    }
  }
}

async function statusOf(error: unknown): Promise<number> {
  if (error instanceof StartError) return error.status
  // A refusal has the contract's codes, which reading words does not need.
  const { Refusal } = await import("../core/refusal.ts")
  return error instanceof Refusal ? REFUSED : FAULT
}

function print({ lines, json }: CommandResult, options: { json: boolean }): void {
  for (const line of options.json ? [JSON.stringify(json)] : lines) terminal.print(line)
}

function linesOf(error: unknown): string[] {
  const message = startFaultOf(error)?.sentence ?? (error instanceof Error ? error.message : String(error))
  const [first, ...others] = error instanceof UsageError ? message.split("\n") : [message]
  return [`countersign-signer: ${first}`, ...others]
}
