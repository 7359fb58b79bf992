import { type Command, Help } from "commander"
import { addCommands } from "./declarations/command.ts"
import { GROUPS } from "./declarations/groups.ts"
import { SECTIONS, type CommandSection } from "./declarations/sections.ts"
import { TOP_WORDS } from "./declarations/top-words.ts"
import { withProfile } from "./profiles/profile.ts"
import { PROGRAMS, runProgram } from "./programs.ts"
import { ownVersion } from "../common/own-version.ts"
import { readSettings } from "../terminal-client/settings.ts"
import { SuggestingCommand, unknownCommand } from "./suggesting-command.ts"
import type { Terminal } from "../terminal-client/terminal.ts"

type Output = {
  environment: NodeJS.ProcessEnv
  terminal: Terminal
  /** Prints the faults that commander finds; by default as lines of the log. */
  logFault?: Terminal["log"]
}

/** The commands of `countersign`, which speaks HTTP only, all of them loaded: for the reference and for completion. */
export async function wholeProgram(output: Output): Promise<SuggestingCommand> {
  const sections = Object.keys(SECTIONS) as CommandSection[]
  return await withSections(emptyProgram(output), sections, () => true, output)
}

/**
 * The program of one command line. Commands of its first word are loaded, and of all others their lines in help alone: loading takes
 * longer than most commands. Each command loads its own slow modules too, such as the policy evaluator and the proof verifier.
 */
export async function programFor(words: readonly string[], output: Output): Promise<SuggestingCommand> {
  const program = emptyProgram(output)
  const [first, second] = words.filter((word) => !word.startsWith("-"))
  const name = first === "help" ? second : first
  const terms = new Map<Command, string>()
  for (const word of TOP_WORDS) {
    if (word.name === name) await withSections(program, word.sections, (own) => own === name, output)
    else terms.set(program.command(word.name).description(word.about), word.term)
  }
  const help = new Help()
  return program.configureHelp({
    subcommandTerm: (command) => terms.get(command) ?? help.subcommandTerm(command),
  })
}

/** The program with `help` alone. */
function emptyProgram({ terminal, logFault = terminal.log }: Output): SuggestingCommand {
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
  return program
}

/** Adds the commands of these sections whose first word is wanted. */
async function withSections(
  program: SuggestingCommand,
  sections: readonly CommandSection[],
  isWanted: (firstWord: string) => boolean,
  output: Output,
): Promise<SuggestingCommand> {
  const { environment, terminal } = output
  let profile: string | undefined
  program.hook("preAction", (_program, command) => {
    profile = command.opts<{ profile?: string }>().profile
  })
  const settings = () => withProfile(readSettings(environment), environment, profile)
  const loaded = await Promise.all(sections.map((section) => SECTIONS[section]()))
  const declarations = loaded.flat().filter(({ words }) => isWanted(words.split(" ")[0]!))
  const groups = sections.includes("resources")
    ? { ...GROUPS, ...(await import("./declarations/resources.ts")).RESOURCE_GROUPS }
    : GROUPS
  const whole = () => wholeProgram(output)
  addCommands(declarations, groups, { program, whole, environment, terminal, settings })
  return program
}

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
