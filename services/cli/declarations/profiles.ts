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
import { readSettings } from "../../terminal-client/settings.ts"
import { printEither } from "../../terminal-client/terminal.ts"
import { type CommandContext, command, type Declaration } from "./command.ts"

const folderOf = ({ environment }: Pick<CommandContext, "environment">) =>
  profilesFolder(readSettings(environment), environment)

/** `login` and the commands of `profile`. */
export const profiles: readonly Declaration[] = [
  command<LoginOptions, [name: string]>({
    words: "login <name>",
    about: "make a profile from an API key or a setup code, and make it the active one",
    options: [
      ["--api <url>", "base URL of the API", { required: true }],
      [
        "--key <file>",
        "file of the private key, also one of the published command line; - to be asked for it",
      ],
      ["--organization <id>", "organization id; by default that beside the key file"],
      ["--as <name>", "name of the key in the profile"],
      ["--setup-code <code>", "create an organization with this code of the operator"],
      ["--organization-name <name>", "its name"],
      ["--user-name <name>", "name of its first user"],
      ["--pins-digest <hex>", "digest of the deployment's pins, from the operator"],
      ["--pins <file>", "file of the deployment's pins"],
    ],
    shared: "json",
    examples: [
      "login acme --api https://api.example.com --key ~/.config/turnkey/keys/default.private",
      "login acme --api https://api.example.com --setup-code CODE --organization-name Acme --user-name root",
    ],
    run: async ({ environment, options, terminal }, name) => {
      const settings = readSettings(environment)
      const { login } = await import("../profiles/login.ts")
      const made = await login(options, { name, folder: folderOf({ environment }), settings, terminal })
      const line = `profile ${name} is active: ${options.api}, organization ${made.organizationId}`
      printEither(terminal, options, made, [line])
    },
  }),
  command({
    words: "profile list",
    about: "list the profiles; the active one has a star",
    shared: "json",
    examples: ["profile list"],
    run: ({ environment, options, terminal }) => {
      const folder = folderOf({ environment })
      const active = environment["COUNTERSIGN_PROFILE"] || activeProfile(folder)
      const names = [DEV, ...profileNames(folder)]
      const lines = names.map((name) => `${name === active ? "*" : " "} ${name}`)
      printEither(terminal, options, { active, profiles: names }, lines)
    },
  }),
  command<object, [name?: string]>({
    words: "profile show [name]",
    about: "show a profile, by default the active one",
    shared: "json",
    examples: ["profile show"],
    run: ({ environment, options, terminal }, name) => {
      const present = withProfile(readSettings(environment), environment, name)
      const { profile, apiUrl, keysFolder, pinsFile } = present
      const shown = {
        name: profile?.name ?? DEV,
        apiUrl,
        ...(profile && { organizationId: profile.organizationId, as: profile.as }),
        keysFolder,
        pinsFile,
      }
      const lines = Object.entries(shown).map(([member, value]) => `${member.padEnd(14)}  ${value}`)
      printEither(terminal, options, shown, lines)
    },
  }),
  command<object, [name: string]>({
    words: "profile use <name>",
    about: `make a profile the active one; ${DEV} is the development system`,
    shared: "json",
    examples: ["profile use acme"],
    run: async ({ environment, options, terminal }, name) => {
      const folder = folderOf({ environment })
      if (name !== DEV) readProfile(folder, name)
      await setActiveProfile(folder, name)
      printEither(terminal, options, { active: name }, [`profile ${name} is active`])
    },
  }),
  command<object, [name: string]>({
    words: "profile delete <name>",
    about: "delete a profile with its keys, which are lost unless kept elsewhere",
    shared: "json",
    examples: ["profile delete acme"],
    run: async ({ environment, options, terminal }, name) => {
      await deleteProfile(folderOf({ environment }), name)
      printEither(terminal, options, { deleted: name }, [`deleted profile ${name}`])
    },
  }),
]
