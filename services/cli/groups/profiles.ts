import type { Command } from "commander"
import type { LoginOptions } from "../profiles/login.ts"
import {
  activeProfile,
  deleteProfile,
  DEV,
  profileNames,
  profilesFolder,
  readProfile,
  setActiveProfile,
  withProfile,
} from "../profiles/profile.ts"
import { readSettings } from "../settings.ts"
import { printResult } from "../terminal.ts"
import { type CommandContext, examples } from "./options.ts"

type Json = { json?: boolean }

/** `login` and the commands of `profile`. */
export function addProfileCommands(program: Command, context: CommandContext): void {
  addLogin(program, context)
  const profile = program
    .command("profile")
    .description("profiles: the API, organization, keys and pins that commands use")
  addReading(profile, context)
  addChanging(profile, context)
}

const folderOf = ({ environment }: CommandContext) => profilesFolder(readSettings(environment), environment)

const say = ({ terminal }: CommandContext, line: string, value: object, options: Json) =>
  options.json ? printResult(terminal, value, options) : terminal.print(line)

function addLogin(program: Command, context: CommandContext): void {
  const { environment, terminal } = context
  examples(
    program
      .command("login <name>")
      .description("make a profile from an API key or a setup code, and make it the active one")
      .requiredOption("--api <url>", "base URL of the API")
      .option(
        "--key <file>",
        "file of the private key, also one of the published command line; - to be asked for it",
      )
      .option("--organization <id>", "organization id; by default that beside the key file")
      .option("--as <name>", "name of the key in the profile")
      .option("--setup-code <code>", "create an organization with this code of the operator")
      .option("--organization-name <name>", "its name")
      .option("--user-name <name>", "name of its first user")
      .option("--pins-digest <hex>", "digest of the deployment's pins, from the operator")
      .option("--pins <file>", "file of the deployment's pins")
      .option("--json", "print the result on one line"),
    [
      "login acme --api https://api.example.com --key ~/.config/turnkey/keys/default.private",
      "login acme --api https://api.example.com --setup-code CODE --organization-name Acme --user-name root",
    ],
  ).action(async (name: string, options: LoginOptions & Json) => {
    const settings = readSettings(environment)
    const { login } = await import("../profiles/login.ts")
    const made = await login(options, { name, folder: folderOf(context), settings, terminal })
    say(
      context,
      `profile ${name} is active: ${options.api}, organization ${made.organizationId}`,
      made,
      options,
    )
  })
}

function subcommandOf(profile: Command, words: string, about: string, example: string): Command {
  const command = profile.command(words).description(about).option("--json", "print the result on one line")
  return examples(command, [example])
}

/** `profile list` and `profile show`. */
function addReading(profile: Command, context: CommandContext): void {
  const { environment, terminal } = context
  const list = "list the profiles; the active one has a star"
  subcommandOf(profile, "list", list, "profile list").action((options: Json) => {
    const folder = folderOf(context)
    const active = environment["COUNTERSIGN_PROFILE"] || activeProfile(folder)
    const names = [DEV, ...profileNames(folder)]
    if (options.json) printResult(terminal, { active, profiles: names }, options)
    else for (const name of names) terminal.print(`${name === active ? "*" : " "} ${name}`)
  })
  const show = "show a profile, by default the active one"
  subcommandOf(profile, "show [name]", show, "profile show").action(
    (name: string | undefined, options: Json) => {
      const {
        profile: own,
        apiUrl,
        keysFolder,
        pinsFile,
      } = withProfile(readSettings(environment), environment, name)
      const shown = {
        name: own?.name ?? DEV,
        apiUrl,
        ...(own && { organizationId: own.organizationId, as: own.as }),
        keysFolder,
        pinsFile,
      }
      if (options.json) printResult(terminal, shown, options)
      else
        for (const [member, value] of Object.entries(shown)) terminal.print(`${member.padEnd(14)}  ${value}`)
    },
  )
}

/** `profile use` and `profile delete`. */
function addChanging(profile: Command, context: CommandContext): void {
  const use = `make a profile the active one; ${DEV} is the development system`
  subcommandOf(profile, "use <name>", use, "profile use acme").action(async (name: string, options: Json) => {
    const folder = folderOf(context)
    if (name !== DEV) readProfile(folder, name)
    await setActiveProfile(folder, name)
    say(context, `profile ${name} is active`, { active: name }, options)
  })
  const remove = "delete a profile with its keys, which are lost unless kept elsewhere"
  subcommandOf(profile, "delete <name>", remove, "profile delete acme").action(
    async (name: string, options: Json) => {
      await deleteProfile(folderOf(context), name)
      say(context, `deleted profile ${name}`, { deleted: name }, options)
    },
  )
}
