#!/usr/bin/env -S node --disable-sigusr1
import "../process/refuse-debugger.ts"
import { resolve } from "node:path"
import { BackupFault } from "../core/backup/fault.ts"
import { type Check, linesOfChecks, statusOfChecks } from "../core/checks.ts"
import { wordsOfKey } from "../core/crypto/key-words.ts"
import { SettingsError } from "../core/settings/settings.ts"
import { JoinFault } from "../core/join/fault.ts"
import { REFUSED, startFaultOf } from "../core/settings/start-fault.ts"
import { install, linesOfInstallation } from "../core/install/install.ts"
import { hostAt, readText } from "../process/host.ts"
import { ownVersion } from "../process/own-version.ts"
import { exitAtStart } from "../process/settings.ts"
import { showSettings } from "../process/show-settings.ts"
import { terminal } from "../process/terminal.ts"
import { UsageFault } from "../core/command-line.ts"
import { readCommand, usage } from "./command-line.ts"
import { listConfig, readConfig, readServingConfig } from "./config.ts"
import { doctor } from "./doctor.ts"
import { createIdentity, publicKeysOf } from "./identity.ts"
import { runSeedCommand } from "./seed-command.ts"

const FOLDER = resolve(import.meta.dirname, "..", "..")

process.exitCode = await run(process.argv.slice(2))

async function run(words: readonly string[]): Promise<number> {
  try {
    if (words[0] === "backup") return await backUp(words.slice(1))
    const command = readCommand(words)
    switch (command.name) {
      case "serve": {
        // Loaded here: the other commands do not wait for the server's packages.
        const { serve } = await import("./serve.ts")
        await serve(readServingConfig(process.env), command.isInit).catch(exitAtStart)
        return 0
      }
      case "doctor":
        return printChecks(await doctor(readConfig(process.env)), command.json)
      case "install":
        installHere(command.root)
        return 0
      case "config":
        showSettings(listConfig, process.env, command.json)
        return 0
      case "init":
      case "public-key": {
        process.umask(0o077)
        const config = readConfig(process.env)
        if (command.name === "init") createIdentity(config)
        const publicHex = publicKeysOf(config)
        terminal.log(`words to compare with countersign-signer pair: ${wordsOfKey(publicHex)}`)
        terminal.print(publicHex)
        return 0
      }
      case "unlock":
      case "lock":
      case "status": {
        const { lines, json, exitStatus = 0 } = await runSeedCommand(command, readConfig(process.env))
        for (const line of command.json ? [JSON.stringify(json)] : lines) terminal.print(line)
        return exitStatus
      }
      case "join": {
        process.umask(0o077)
        const { joinSigner } = await import("./join.ts")
        const { lines, json } = await joinSigner(command, process.env)
        for (const line of command.json ? [JSON.stringify(json)] : lines) terminal.print(line)
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

async function backUp(words: readonly string[]): Promise<number> {
  process.umask(0o077)
  // Loaded here: no other command reads backups.
  const { backupUsage, runBackup } = await import("./backup.ts")
  const result = await runBackup(words, process.env)
  const isJson = words.includes("--json") && result !== undefined
  for (const line of isJson ? [JSON.stringify(result.json)] : (result?.lines ?? backupUsage.split("\n")))
    terminal.print(line)
  return 0
}

/** Says on standard error why the command failed. @returns the exit status */
function reportFault(error: unknown, isJson: boolean): number {
  const sentence = error instanceof Error ? error.message : String(error)
  const isUsage = error instanceof UsageFault || error instanceof SettingsError
  if (error instanceof JoinFault) {
    logLines([sentence])
    return error.kind === "usage" ? 2 : REFUSED
  }
  const fault = error instanceof BackupFault ? { sentence, status: REFUSED } : startFaultOf(error)
  const message = isUsage ? sentence : (fault?.sentence ?? sentence)
  const exitStatus = isUsage ? 2 : (fault?.status ?? 1)
  if (isJson) terminal.log(JSON.stringify({ error: { exitStatus, message } }))
  else logLines(isUsage ? message.split("\n") : [message])
  return exitStatus
}

function printChecks(checks: readonly Check[], isJson: boolean): number {
  for (const line of isJson ? [JSON.stringify({ checks })] : linesOfChecks(checks)) terminal.print(line)
  return statusOfChecks(checks)
}

function logLines([first, ...others]: readonly string[]): void {
  for (const line of [`countersign-fetcher: ${first}`, ...others]) terminal.log(line)
}

/** Installs the fetcher of this release on the host whose files lie below `root`. @throws {UsageFault} in a checkout */
function installHere(root: string): void {
  const installed = install({ zone: "fetcher", folder: FOLDER }, readText, hostAt(resolve(root)))
  for (const line of linesOfInstallation(installed)) terminal.print(line)
}
