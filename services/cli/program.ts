import type { Command } from "commander"
import { addCommands } from "./declarations/command.ts"
import { config } from "./declarations/config.ts"
import { pins, releaseVerification, seals, verifications, walletSecrets } from "./declarations/deployment.ts"
import { GROUPS } from "./declarations/groups.ts"
import { collection, completion, dashboard, development, doctor } from "./declarations/host.ts"
import { organizations } from "./declarations/organizations.ts"
import { policies, templatePreview } from "./declarations/policies.ts"
import { profiles } from "./declarations/profiles.ts"
import { activities, requests } from "./declarations/requests.ts"
import { RESOURCE_GROUPS, resources } from "./declarations/resources.ts"
import { transactions } from "./declarations/transactions.ts"
import { webhooks } from "./declarations/webhooks.ts"
import { withProfile } from "./profiles/profile.ts"
import { PROGRAMS, runProgram } from "./programs.ts"
import { ownVersion } from "../common/own-version.ts"
import { readSettings } from "../terminal-client/settings.ts"
import { SuggestingCommand, unknownCommand } from "./suggesting-command.ts"
import type { Terminal } from "../terminal-client/terminal.ts"

/**
 * The commands of `countersign`, which speaks HTTP only. Each command loads its own slow modules, such as the policy
 * evaluator and the proof verifier.
 */
export function buildProgram(
  environment: NodeJS.ProcessEnv,
  terminal: Terminal,
  logFault: Terminal["log"] = terminal.log,
): SuggestingCommand {
  const program = new SuggestingCommand("countersign")
    .description("Calls a Countersign API, and runs a development system.")
    .version(ownVersion(), "--version", "print the version")
    .helpOption("-h, --help", "explain the command")
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: (help) => help.trimEnd().split("\n").forEach(terminal.print),
      writeErr: (fault) => fault.trimEnd().split("\n").forEach(logFault),
    })
    .addHelpText(
      "after",
      `\nOther programs: countersign node, countersign signer and countersign fetcher run countersign-node, -signer and -fetcher.\nExit status: 0 done, 1 fault, 2 usage, 3 refused, 4 waits for approval, 5 unreachable or locked, 6 verification failed`,
    )
  addHelpCommand(program, terminal)
  let profile: string | undefined
  program.hook("preAction", (_program, command) => {
    profile = command.opts<{ profile?: string }>().profile
  })
  const settings = () => withProfile(readSettings(environment), environment, profile)
  addCommands(COMMANDS, { ...GROUPS, ...RESOURCE_GROUPS }, { program, environment, terminal, settings })
  return program
}

/** Every command but `help`, in the order in which help lists them. */
const COMMANDS = [
  ...development,
  ...organizations,
  ...resources,
  templatePreview,
  ...requests,
  collection,
  ...activities,
  ...transactions,
  ...policies,
  ...config,
  ...seals,
  ...verifications,
  releaseVerification,
  ...walletSecrets,
  ...pins,
  dashboard,
  ...webhooks,
  doctor,
  ...profiles,
  completion,
]

function addHelpCommand(program: SuggestingCommand, terminal: Terminal): void {
  program
    .command("help [command...]")
    .description("explain a command")
    .option("--json", "print the explanation as JSON")
    .addExamples(["help wallet create"])
    .action(async (names: readonly string[], { json = false }: { json?: boolean }) => {
      const [first = ""] = names
      if (Object.hasOwn(PROGRAMS, first)) {
        await runProgram(first, ["help"])
        return
      }
      const command = findCommand(program, names)
      if (json) terminal.print(JSON.stringify({ help: command.helpInformation() }))
      else command.help()
    })
}

/** The command with this path of names, such as `policy test`. @throws {CommanderError} unknown command */
function findCommand(program: Command, names: readonly string[]): Command {
  return names.reduce((command, name) => {
    const found = command.commands.find((each) => each.name() === name)
    return found ?? command.error(`error: ${unknownCommand(name, command)}`)
  }, program)
}
