import type { Command } from "commander"
import { clientOf, findStampingKey, requireOrganization, type StampOptions } from "../api-options.ts"
import type { Stamping } from "../../terminal-client/changes/stamping.ts"
import type { Settings } from "../../terminal-client/settings.ts"
import type { SuggestingCommand } from "../suggesting-command.ts"
import type { Terminal } from "../../terminal-client/terminal.ts"

/** An option: its flags as commander takes them, and one sentence. */
export type OptionDeclaration = readonly [
  flags: string,
  about: string,
  more?: { required?: boolean; repeatable?: boolean; fallback?: string },
]

/** Options that many commands share: --json alone, those of a call to an API, of a stamp, and of a change. */
type Shared = "json" | "call" | "stamp" | "change"

/** Command lines without the program's name, at least one. */
export type Examples = readonly [string, ...string[]]

/** One command, as help, completion, the reference of commands and the command line itself read it. */
export type Declaration<Options = object, Words extends readonly unknown[] = readonly unknown[]> = {
  /** Names and arguments: `webhook create <url>`. */
  words: string
  alias?: string
  about: string
  options?: readonly OptionDeclaration[]
  /** Group of options that the command shares; each group includes those before it. */
  shared?: Shared
  examples: Examples
  run: (call: CommandCall<Options>, ...words: Words) => Promise<unknown> | void
}

/** Context of every command. `settings` are read when a command runs: --help needs none. */
export type CommandContext = {
  program: SuggestingCommand
  /** The program with all commands, of which a command line loads its own alone. */
  whole: () => Promise<SuggestingCommand>
  environment: NodeJS.ProcessEnv
  terminal: Terminal
  settings: () => Settings
}

type SharedOptions = StampOptions & { pins?: unknown }

/** A command that runs: its options, and the objects that they name. */
export type CommandCall<Options> = CommandContext & {
  options: Options & StampOptions
  /** The API of the options, with their stamping key, and its organization. @throws {CliError} usage */
  stamping: () => Promise<Stamping>
}

/** A declaration with the types of its options and arguments. */
export function command<Options = object, Words extends readonly unknown[] = []>(
  declaration: Declaration<Options, Words>,
): Declaration {
  return declaration as unknown as Declaration
}

/** Runs a function of the arguments, the options and the context of a stamp. It is loaded when the command runs. */
export function stamped<Words extends readonly unknown[], Options>(
  load: () => Promise<(...given: [...Words, Options, Stamping]) => unknown>,
): Declaration<Options, Words>["run"] {
  return async ({ options, stamping }, ...words) => (await load())(...words, options, await stamping())
}

/** Adds commands to the program. `groups`: sentences about words that are no commands themselves. */
export function addCommands(
  declarations: readonly Declaration[],
  groups: Readonly<Record<string, string>>,
  context: CommandContext,
): void {
  for (const declaration of declarations) {
    const [, path = "", name = ""] = /^(?:(\S+) )?([^\s<[]+(?: [<[].*)?)$/.exec(declaration.words) ?? []
    addCommand(path === "" ? context.program : groupOf(path, groups, context), name, declaration, context)
  }
}

function groupOf(
  path: string,
  groups: Readonly<Record<string, string>>,
  { program }: CommandContext,
): SuggestingCommand {
  const known = program.subcommands().find((each) => each.name() === path)
  if (known !== undefined) return known
  const about = groups[path]
  if (about === undefined) throw new TypeError(`${path} has no sentence in groups.ts`)
  return program.command(path).description(about)
}

function addCommand(
  parent: SuggestingCommand,
  words: string,
  declaration: Declaration,
  context: CommandContext,
): void {
  const { alias, about, options = [], shared, examples, run } = declaration
  const added = parent.command(words).description(about).addExamples(examples)
  if (alias !== undefined) added.alias(alias)
  for (const option of options) addOption(added, option)
  addShared(added, shared)
  added.action(async (...given: unknown[]) => {
    // Commander gives the arguments, then the options, then the command.
    const values = given.at(-2) as SharedOptions
    const stamping = () => stampingOf(values, context)
    await run({ ...context, options: values, stamping }, ...given.slice(0, -2))
  })
}

function addOption(added: Command, [flags, about, more = {}]: OptionDeclaration): void {
  if (more.required) added.requiredOption(flags, about)
  else if (more.repeatable) added.option(flags, about, collect)
  else added.option(flags, about, more.fallback)
}

/** Values of an option that can be repeated. */
function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}

const JSON_OPTION = ["--json", "print the result on one line"] as const
export const PROFILE: OptionDeclaration = [
  "--profile <name>",
  "profile; by default the active one (countersign profile list)",
]

function addShared(added: Command, shared: Shared | undefined): void {
  if (shared === undefined) return
  if (shared === "json") return void added.option(...JSON_OPTION)
  added
    .optionsGroup("Common options:")
    .option("--api <url>", "base URL of the API; by default the local one")
    .option("--keys-folder <directory>", "folder of the key files")
    .option(PROFILE[0], PROFILE[1])
    .option(...JSON_OPTION)
  if (shared === "call") return
  added
    .option("--as <name>", "stamp with this key of the keys folder (name or prefix); by default root")
    .option("--organization <id>", "organization id; by default that of the profile or key")
  if (shared === "stamp") return
  added
    .optionsGroup("Options of changes:")
    .option(DRY_RUN[0], DRY_RUN[1])
    .option("--again", "stamp a new request, even if an earlier one has no outcome yet")
}

export const DRY_RUN: OptionDeclaration = ["--dry-run", "print what would be stamped, and send nothing"]

/** Pins other than those of the profile. */
export const PINS: OptionDeclaration = [
  "--pins <file>",
  "pins of the trusted deployment; by default those of the profile",
]

/** The API, the key and the files of the options and settings, as every stamp needs them. @throws {CliError} usage */
async function stampingOf(
  options: SharedOptions,
  { settings, terminal }: Pick<CommandContext, "settings" | "terminal">,
): Promise<Stamping> {
  const present = settings()
  const { key, organizationId } = await findStampingKey(options, present)
  return {
    client: { ...clientOf(options, present), key },
    organizationId: requireOrganization(organizationId),
    terminal,
    requestsFolder: present.requestsFolder,
    keysFolder: options.keysFolder ?? present.keysFolder,
    pinsFile: typeof options.pins === "string" ? options.pins : present.pinsFile,
  }
}

/** The profile of another organization, which gets what is moved. */
export const TO: OptionDeclaration = [
  "--to <profile>",
  "profile of the organization that gets them, with its key and pins",
  { required: true },
]

/** The same of another profile, with its own key and pins. */
export async function stampingOfProfile(
  name: string,
  { environment, terminal }: Pick<CommandContext, "environment" | "terminal">,
): Promise<Stamping> {
  const [{ withProfile }, { readSettings }] = await Promise.all([
    import("../profiles/profile.ts"),
    import("../../terminal-client/settings.ts"),
  ])
  return stampingOf(
    {},
    { settings: () => withProfile(readSettings(environment), environment, name), terminal },
  )
}
