#!/usr/bin/env -S sh -c 'd=$(dirname "$(readlink -f "$0")")/../..; PATH=$d/node_modules/.bin:$d/bin:$PATH exec node --disable-sigusr1 "$0" "$@"'
import "../process/refuse-debugger.ts"
import { type Check, linesOfChecks, statusOfChecks } from "../core/checks.ts"
import { ownVersion } from "../process/own-version.ts"
import { sayFault } from "../process/say-fault.ts"
import { terminal } from "../process/terminal.ts"
import { readCommand, usage } from "./command-line.ts"

/** The settings. Each command loads what it needs: the help and a fault of words need none of it. */
const settings = () => import("./config.ts")

process.exitCode = await run(process.argv.slice(2))

async function run(words: readonly string[]): Promise<number> {
  try {
    const command = readCommand(words)
    switch (command.name) {
      case "serve": {
        const { serve } = await import("./serve.ts")
        await serve((await settings()).readConfig(process.env), command.isInit)
        return 0
      }
      case "doctor": {
        const { doctor } = await import("./doctor.ts")
        return printChecks(await doctor((await settings()).readConfig(process.env)), command.json)
      }
      case "install": {
        const { installAt } = await import("../process/install-at.ts")
        installAt("witness", command.root).lines.forEach(terminal.print)
        return 0
      }
      case "config": {
        const { showSettings } = await import("../process/show-settings.ts")
        showSettings((await settings()).listConfig, process.env, command.json)
        return 0
      }
      case "init":
      case "key": {
        process.umask(0o077)
        const { createWitness, openWitnessKey } = await import("./identity.ts")
        const { writeNoteKey } = await import("../core/log/note-key.ts")
        const config = (await settings()).readConfig(process.env)
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
    return sayFault("countersign-witness", error, { isJson: words.includes("--json") })
  }
}

function printChecks(checks: readonly Check[], isJson: boolean): number {
  for (const line of isJson ? [JSON.stringify({ checks })] : linesOfChecks(checks)) terminal.print(line)
  return statusOfChecks(checks)
}
