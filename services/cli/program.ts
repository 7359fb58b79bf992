import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Command } from "commander"
import { addActivityCommands } from "./groups/activities.ts"
import { addClientPinsCommands } from "./groups/client-pins.ts"
import { addCollectionCommand } from "./groups/collection.ts"
import { addConfigCommands } from "./groups/config.ts"
import { addCompletionCommand } from "./groups/completion.ts"
import { addDashboardCommand } from "./groups/dashboard.ts"
import { addDeploymentCommands } from "./groups/deployment.ts"
import { addDoctorCommand } from "./groups/doctor.ts"
import { addDevelopmentCommands } from "./groups/development.ts"
import { addEmailTemplateCommands } from "./groups/email-templates.ts"
import { addOrganizationCommands } from "./groups/organizations.ts"
import { addPolicyCommands } from "./groups/policies.ts"
import { addProfileCommands } from "./groups/profiles.ts"
import { addRequestCommands } from "./groups/requests.ts"
import { addResourceCommands } from "./groups/resources.ts"
import { addTransactionCommands } from "./groups/transactions.ts"
import { withProfile } from "./profiles/profile.ts"
import { addWebhookCommands } from "./groups/webhooks.ts"
import { PROGRAMS, runProgram } from "./programs.ts"
import { packageRoot, readSettings } from "./settings.ts"
import { SuggestingCommand, unknownCommand } from "./suggesting-command.ts"
import type { Terminal } from "./terminal.ts"

/**
 * The commands of `countersign`, which speaks HTTP only. Each command loads its own slow modules, such as the policy
 * evaluator and the proof verifier.
 */
export function buildProgram(
  environment: NodeJS.ProcessEnv,
  terminal: Terminal,
  logFault: Terminal["log"] = terminal.log,
): Command {
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
  const context = { environment, terminal, settings }
  addDevelopmentCommands(program, context)
  addOrganizationCommands(program, context)
  addResourceCommands(program, context)
  addEmailTemplateCommands(program, context)
  addRequestCommands(program, context)
  addCollectionCommand(program, context)
  addActivityCommands(program, context)
  addTransactionCommands(program, context)
  addPolicyCommands(program, context)
  addConfigCommands(program, context)
  addDeploymentCommands(program, context)
  addClientPinsCommands(program, context)
  addDashboardCommand(program, context)
  addWebhookCommands(program, context)
  addDoctorCommand(program, context)
  addProfileCommands(program, context)
  addCompletionCommand(program, context)
  return program
}

function addHelpCommand(program: Command, terminal: Terminal): void {
  program
    .command("help [command...]")
    .description("explain a command")
    .option("--json", "print the explanation as JSON")
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

function ownVersion(): string {
  const { version } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as {
    version: string
  }
  return version
}
