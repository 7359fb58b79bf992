#!/usr/bin/env -S node --disable-sigusr1
import "../process/refuse-debugger.ts"
import { SettingsError } from "../core/settings/settings.ts"
import { startFaultOf } from "../core/settings/start-fault.ts"
import { ownVersion } from "../process/own-version.ts"
import { exitAtStart } from "../process/settings.ts"
import { terminal } from "../process/terminal.ts"
import { type Check, linesOfChecks, statusOfChecks } from "../process/checks.ts"
import { readConfig } from "./config.ts"
import { doctor } from "./doctor.ts"
import { createIdentity, openIdentity } from "./identity.ts"

const USAGE = `Usage: countersign-fetcher <command>

  init         create the fetcher's seed, and print its public keys
  serve        run the fetcher; with --init, create its seed first
  public-key   print the fetcher's public keys, with which a signer is paired: key set, on-ramp key
  doctor       check settings, seed, pairing and delivery of messages; with --json, for programs
  help         print this
  --version    print the version

Examples:
  countersign-fetcher serve --init
  countersign-fetcher public-key
  countersign-fetcher doctor --json

Settings: COUNTERSIGN_FETCHER_... in the environment, see docs/OPERATIONS.md.
Exit status: 0 done, 1 fault, 2 usage, 5 another fetcher runs`

process.exitCode = await run(process.argv.slice(2))

async function run([command, ...rest]: string[]): Promise<number> {
  try {
    if (command === undefined) return usageFault(USAGE)
    const isInit = command === "init" || (command === "serve" && rest[0] === "--init")
    const isJson = command === "doctor" && rest[0] === "--json"
    const unexpected = (command === "serve" && isInit) || isJson ? rest.slice(1) : rest
    if (unexpected.length > 0) return usageFault(`"${unexpected.join(" ")}" is not expected after ${command}`)
    switch (command) {
      case "serve": {
        // Loaded here: the other commands do not wait for the server's packages.
        const { serve } = await import("./serve.ts")
        await serve(readConfig(process.env), isInit).catch(exitAtStart)
        return 0
      }
      case "doctor":
        return printChecks(await doctor(readConfig(process.env)), isJson)
      case "init":
      case "public-key": {
        process.umask(0o077)
        const config = readConfig(process.env)
        if (isInit) createIdentity(config)
        terminal.print(openIdentity(config).publicHex)
        return 0
      }
      case "help":
      case "--help":
        USAGE.split("\n").forEach(terminal.print)
        return 0
      case "--version":
        terminal.print(ownVersion())
        return 0
      default:
        return usageFault(`no command "${command}"\n\n${USAGE}`)
    }
  } catch (error) {
    const sentence = error instanceof Error ? error.message : String(error)
    const fault = startFaultOf(error)
    logLines(error instanceof SettingsError ? sentence.split("\n") : [fault?.sentence ?? sentence])
    return error instanceof SettingsError ? 2 : (fault?.status ?? 1)
  }
}

function printChecks(checks: readonly Check[], isJson: boolean): number {
  for (const line of isJson ? [JSON.stringify({ checks })] : linesOfChecks(checks)) terminal.print(line)
  return statusOfChecks(checks)
}

function usageFault(sentence: string): number {
  logLines(sentence.split("\n"))
  return 2
}

function logLines([first, ...others]: readonly string[]): void {
  for (const line of [`countersign-fetcher: ${first}`, ...others]) terminal.log(line)
}
