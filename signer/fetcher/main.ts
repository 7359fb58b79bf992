#!/usr/bin/env -S sh -c 'd=$(dirname "$(readlink -f "$0")")/../..; PATH=$d/node_modules/.bin:$d/bin:$PATH exec node --disable-sigusr1 "$0" "$@"'
import "../process/refuse-debugger.ts"
import { type Check, linesOfChecks, statusOfChecks } from "../core/checks.ts"
import { StartError } from "../core/settings/start-fault.ts"
import { ownVersion } from "../process/own-version.ts"
import { sayFault } from "../process/say-fault.ts"
import { terminal } from "../process/terminal.ts"
import { readCommand, usage } from "./command-line.ts"

/** The settings. Each command loads what it needs: the help and a fault of words need none of it. */
const settings = () => import("./config.ts")

const WITNESS_KEY_SEALED =
  "the seed is sealed: the fetcher writes this key once it is unlocked. Start it, unlock it and run witness-key again"

process.exitCode = await run(process.argv.slice(2))

async function run(words: readonly string[]): Promise<number> {
  try {
    if (words[0] === "backup") return await backUp(words.slice(1))
    const command = readCommand(words)
    switch (command.name) {
      case "serve": {
        const { serve } = await import("./serve.ts")
        const { exitAtStart } = await import("../process/settings.ts")
        await serve((await settings()).readServingConfig(process.env), command.isInit).catch(exitAtStart)
        return 0
      }
      case "doctor": {
        const { doctor } = await import("./doctor.ts")
        return printChecks(await doctor((await settings()).readConfig(process.env)), command.json)
      }
      case "install": {
        const { installAt } = await import("../process/install-at.ts")
        installAt("fetcher", command.root).lines.forEach(terminal.print)
        return 0
      }
      case "config": {
        const { showSettings } = await import("../process/show-settings.ts")
        showSettings((await settings()).listConfig, process.env, command.json)
        return 0
      }
      case "init":
      case "public-key":
        return await printPublicKeys(command.name === "init")
      case "witness-key":
        return await printWitnessKey(command.isInit)
      case "unlock":
      case "lock":
      case "status":
      case "change-daily": {
        process.umask(0o077)
        const { runSeedCommand } = await import("./seed-command.ts")
        const config = (await settings()).readConfig(process.env)
        return printResult(await runSeedCommand(command, config), command.json)
      }
      case "join": {
        process.umask(0o077)
        const { joinSigner } = await import("./join.ts")
        return printResult(await joinSigner(command, process.env), command.json)
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
    const isRefused = await isRefusal(error)
    return sayFault("countersign-fetcher", error, { isJson: words.includes("--json"), isRefused })
  }
}

type Result = { lines: readonly string[]; json: object; exitStatus?: number }

function printResult({ lines, json, exitStatus = 0 }: Result, isJson: boolean): number {
  for (const line of isJson ? [JSON.stringify(json)] : lines) terminal.print(line)
  return exitStatus
}

async function printPublicKeys(isInit: boolean): Promise<number> {
  process.umask(0o077)
  const { createIdentity, publicKeysOf } = await import("./identity.ts")
  const { wordsOfKey } = await import("../core/crypto/key-words.ts")
  const config = (await settings()).readConfig(process.env)
  if (isInit) createIdentity(config)
  const publicHex = publicKeysOf(config)
  terminal.log(`words to compare with countersign-signer pair: ${wordsOfKey(publicHex)}`)
  terminal.print(publicHex)
  return 0
}

async function printWitnessKey(isInit: boolean): Promise<number> {
  process.umask(0o077)
  const { witnessKeyOf } = await import("./witness/key.ts")
  const key = witnessKeyOf((await settings()).readConfig(process.env), isInit)
  if (key === undefined) terminal.log(WITNESS_KEY_SEALED)
  else terminal.print(key)
  return 0
}

async function backUp(words: readonly string[]): Promise<number> {
  process.umask(0o077)
  const { backupUsage, runBackup } = await import("./backup.ts")
  const result = await runBackup(words, process.env)
  const isJson = words.includes("--json") && result !== undefined
  for (const line of isJson ? [JSON.stringify(result.json)] : (result?.lines ?? backupUsage.split("\n")))
    terminal.print(line)
  return 0
}

/** A refusal has the contract's codes, which reading words does not need. */
async function isRefusal(error: unknown): Promise<boolean> {
  if (error instanceof StartError) return false
  const { Refusal } = await import("../core/refusal.ts")
  return error instanceof Refusal
}

function printChecks(checks: readonly Check[], isJson: boolean): number {
  for (const line of isJson ? [JSON.stringify({ checks })] : linesOfChecks(checks)) terminal.print(line)
  return statusOfChecks(checks)
}
