#!/usr/bin/env -S node --disable-sigusr1
import "../process/refuse-debugger.ts"
import { resolve } from "node:path"
import { type Check, linesOfChecks, statusOfChecks } from "../core/checks.ts"
import { UsageFault } from "../core/command-line.ts"
import { install, linesOfInstallation } from "../core/install/install.ts"
import { writeNoteKey } from "../core/log/note-key.ts"
import { SettingsError } from "../core/settings/settings.ts"
import { startFaultOf } from "../core/settings/start-fault.ts"
import { hostAt, readText } from "../process/host.ts"
import { ownVersion } from "../process/own-version.ts"
import { showSettings } from "../process/show-settings.ts"
import { terminal } from "../process/terminal.ts"
import { readCommand, usage } from "./command-line.ts"
import { listConfig, readConfig } from "./config.ts"
import { doctor } from "./doctor.ts"
import { createWitness, openWitnessKey } from "./identity.ts"
import { serve } from "./serve.ts"

const FOLDER = resolve(import.meta.dirname, "..", "..")

process.exitCode = await run(process.argv.slice(2))

async function run(words: readonly string[]): Promise<number> {
  try {
    const command = readCommand(words)
    switch (command.name) {
      case "serve":
        await serve(readConfig(process.env), command.isInit)
        return 0
      case "doctor":
        return printChecks(await doctor(readConfig(process.env)), command.json)
      case "install":
        installHere(command.root)
        return 0
      case "config":
        showSettings(listConfig, process.env, command.json)
        return 0
      case "init":
      case "key": {
        process.umask(0o077)
        const config = readConfig(process.env)
        if (command.name === "init") createWitness(config)
        terminal.print(writeNoteKey(openWitnessKey(config).key))
        return 0
      }
      case "help":
        usage.split("\n").forEach(terminal.print)
        return 0
      case "version":
        terminal.print(ownVersion())
        return 0
      default:
        return command satisfies never
    }
  } catch (error) {
    return reportFault(error, words.includes("--json"))
  }
}

function reportFault(error: unknown, isJson: boolean): number {
  const sentence = error instanceof Error ? error.message : String(error)
  const isUsage = error instanceof UsageFault || error instanceof SettingsError
  const fault = startFaultOf(error)
  const message = isUsage ? sentence : (fault?.sentence ?? sentence)
  const exitStatus = isUsage ? 2 : (fault?.status ?? 1)
  const [first, ...others] = isUsage ? message.split("\n") : [message]
  if (isJson) terminal.log(JSON.stringify({ error: { exitStatus, message } }))
  else for (const line of [`countersign-witness: ${first}`, ...others]) terminal.log(line)
  return exitStatus
}

function printChecks(checks: readonly Check[], isJson: boolean): number {
  for (const line of isJson ? [JSON.stringify({ checks })] : linesOfChecks(checks)) terminal.print(line)
  return statusOfChecks(checks)
}

/** Installs the witness of this release on the host whose files lie below `root`. @throws {UsageFault} in a checkout */
function installHere(root: string): void {
  const installed = install({ zone: "witness", folder: FOLDER }, readText, hostAt(resolve(root)))
  for (const line of linesOfInstallation(installed)) terminal.print(line)
}
