import {
  type ChangeOptions,
  receiptOf,
  resultOf,
  submitChange,
} from "../../terminal-client/changes/change.ts"
import type { Stamping } from "../../terminal-client/changes/stamping.ts"
import { usage } from "../../terminal-client/exit.ts"
import { Directory } from "../../terminal-client/names/resolve.ts"
import {
  type FileMembers,
  type MembersFile,
  readMembersFile,
} from "../../terminal-client/files/members-file.ts"
import { partsOf, unknownMember } from "../../terminal-client/files/form-file.ts"
import { recordFirstOrganization } from "../record-organization.ts"
import { findSubOrganization } from "../../terminal-client/names/sub-organizations.ts"
import { type CommandOption, commanderName, readPlain, type OptionValues } from "../resources/fields.ts"
import { MEMBERS } from "../resources/members.ts"
import type { ChangeCommand, ReadContext, Resource } from "../resources/resource.ts"
import { SealedMember } from "../../terminal-client/sealed.ts"
import { printEither } from "../../terminal-client/terminal.ts"
import { whoami } from "../../terminal-client/whoami.ts"

export type ResourceChange = {
  resource: Resource
  command: ChangeCommand
  options: readonly CommandOption[]
  /** The member that the argument gives. */
  argument: CommandOption | undefined
  /** The argument. */
  first: string | readonly string[] | undefined
}

/** Submits the activity of a resource's command, and prints its result. @throws {CliError} */
export async function changeResource(
  resourceChange: ResourceChange,
  values: OptionValues & ChangeOptions,
  given: Stamping,
): Promise<void> {
  const { command } = resourceChange
  const stamping = command.inOrganization ? await inOrganization(given, String(resourceChange.first)) : given
  const { client, organizationId, terminal, keysFolder, pinsFile } = stamping
  const directory = new Directory(stamping, pinsFile)
  const file = await readFileMembers(values["file"], resourceChange, directory, terminal.log)
  const members = await readMembers(resourceChange, values, file?.members ?? {}, {
    keysFolder,
    pinsFile,
    directory,
    organizationId,
    key: client.key,
  })
  const { sender } = command
  if (sender !== undefined && members[sender] === undefined) members[sender] = (await whoami(stamping)).userId
  const names = await namesOf(resourceChange, directory, members)
  const hasShownNotes = values.json !== true && (await reviewed(resourceChange, members, stamping))
  const submitted = await submitChange(
    {
      type: command.type,
      ...contentOf(command, members),
      hasShownNotes,
      explain: explainer(resourceChange, members, file),
      inOwnWords: (line) => withOptions(line, resourceChange.options),
    },
    values,
    stamping,
  )
  if (submitted === undefined) return
  const { activity } = submitted
  const result = resultOf(activity)
  const { hasApiKeys } = command
  if (hasApiKeys !== undefined) {
    const home = hasApiKeys === "organization" ? organizationId : String(result[hasApiKeys])
    await recordFirstOrganization(textsIn(members).filter(isP256Key), home, keysFolder, terminal)
  }
  const line = lineOf({ ...resourceChange, names }, result, new Set(textsIn(members)))
  printEither(terminal, values, receiptOf(activity), [line])
}

/** A new policy is reviewed before it is sent. @returns true if all hints about it were logged */
async function reviewed(
  { resource, command }: ResourceChange,
  members: FileMembers,
  stamping: Stamping,
): Promise<boolean> {
  if (resource.kind !== "policy" || command.verb !== "create") return false
  const { reviewPolicy } = await import("../policies/review.ts")
  return reviewPolicy(members, stamping)
}

/** Whole names of the things that the argument names by a beginning; another argument as it is. */
async function namesOf(
  { argument, first }: ResourceChange,
  directory: Directory,
  members: FileMembers,
): Promise<readonly string[]> {
  const texts = first === undefined ? [] : [first].flat()
  const refers = argument?.given.read === undefined ? argument?.member.refers : undefined
  if (refers === undefined) return texts
  return Promise.all(texts.map((text) => directory.nameOf(refers, text, ofOneUser(refers, members))))
}

async function inOrganization(stamping: Stamping, name: string): Promise<Stamping> {
  return { ...stamping, organizationId: await findSubOrganization(name, stamping) }
}

/** Parameters of the request; if they have sealed secrets, also those by which a repeated command is recognized. */
function contentOf(
  command: ChangeCommand,
  members: FileMembers,
): { parameters: FileMembers; identity?: FileMembers } {
  const withMembers = (shown: (member: SealedMember) => string) =>
    parametersOf(
      command,
      Object.fromEntries(
        Object.entries(members).map(([name, value]) => [
          name,
          value instanceof SealedMember ? shown(value) : value,
        ]),
      ),
    )
  const parameters = withMembers(({ text }) => text)
  const isSealed = Object.values(members).some((value) => value instanceof SealedMember)
  return isSealed ? { parameters, identity: withMembers(({ digest }) => digest) } : { parameters }
}

/** The members: those of the file, then the options, then the argument. */
async function readMembers(
  { options, argument, first }: ResourceChange,
  values: OptionValues,
  ofFile: FileMembers,
  context: Omit<ReadContext, "members">,
): Promise<FileMembers> {
  const members = { ...ofFile }
  requireOneStandardInput(options, values, members)
  for (const option of options) {
    const fallback = members[option.member.name] === undefined ? option.given.fallback : undefined
    const value = values[commanderName(option.long)] ?? fallback
    if (value !== undefined) members[option.member.name] = await valueOf(option, value, context, members)
  }
  if (argument !== undefined && first !== undefined)
    members[argument.member.name] = await valueOf(argument, first, context, members)
  return members
}

async function valueOf(
  { member, given, long, isList, isSwitch }: CommandOption,
  value: string | readonly string[] | boolean,
  context: Omit<ReadContext, "members">,
  members: FileMembers,
): Promise<unknown> {
  if (isSwitch || typeof value === "boolean") return true
  const texts = typeof value === "string" ? [value] : value
  if (given.read !== undefined) return given.read(texts, { ...context, members })
  const { refers } = member
  if (refers === undefined) {
    const read = texts.map((text) => readPlain(member, text, long))
    return isList ? read : read[0]
  }
  const more = ofOneUser(refers, members)
  const ids = await Promise.all(texts.map((text) => context.directory.idOf(refers, text, more)))
  return isList ? ids : ids[0]
}

/** Members of a query that lists things of one user. */
function ofOneUser(kind: string, { userId }: FileMembers): { userId?: unknown } {
  return OF_ONE_USER.includes(kind) && userId !== undefined ? { userId } : {}
}

/** Kinds whose names are those of one user. */
const OF_ONE_USER: readonly string[] = ["key", "passkey", "mfa-policy"]

/** Standard input can be read once. At a terminal each secret is asked for. @throws {CliError} usage */
function requireOneStandardInput(
  options: readonly CommandOption[],
  values: OptionValues,
  ofFile: FileMembers,
): void {
  const sourceOf = ({ given, long, member }: CommandOption) =>
    values[commanderName(long)] ?? (ofFile[member.name] === undefined ? given.fallback : undefined)
  const secrets = options.filter((option) => option.given.isSecret && sourceOf(option) === "-")
  const reading = [...(values["file"] === "-" ? ["--file -"] : []), ...secrets.map(({ long }) => `${long} -`)]
  const isTerminal = process.stdin.isTTY && values["file"] !== "-"
  if (reading.length < 2 || isTerminal) return
  const sentence = `${reading.join(" and ")} both read standard input: name a file for one of them`
  throw usage(sentence)
}

/** The parameters: the members, or a list of the one thing that they describe, with members beside it. */
function parametersOf(
  { within, beside = [], type, defaults }: ChangeCommand,
  members: FileMembers,
): FileMembers {
  const whole = { ...emptyLists(type), ...defaults, ...members }
  if (within === undefined) return whole
  const outer = Object.entries(whole).filter(([name]) => beside.includes(name))
  const inner = Object.entries(whole).filter(([name]) => !beside.includes(name))
  return { ...Object.fromEntries(outer), [within]: [Object.fromEntries(inner)] }
}

/** Lists that must be there and may be empty. */
function emptyLists(type: string): FileMembers {
  const lists = (MEMBERS[type] ?? []).filter(({ mayBeEmpty }) => mayBeEmpty)
  return Object.fromEntries(lists.map(({ name }) => [name, []]))
}

/** `created user alice 019b76da-…`: ids in the result that the request did not name. The id of a user beside another thing is named. */
function lineOf(
  { resource, command, names }: ResourceChange & { names: readonly string[] },
  result: object,
  given: ReadonlySet<string>,
): string {
  const made = membersIn(result)
    .filter(({ text }) => isIdentifier(text) && !given.has(text))
    .map(({ text, member }) => (member === "userId" && resource.kind !== "user" ? `with user ${text}` : text))
  const verb = PAST[command.alias ?? ""] ?? PAST[command.verb] ?? command.verb
  return [verb, resource.name.replaceAll("-", " "), ...names, ...made].join(" ")
}

const PAST: { readonly [verb: string]: string } = {
  // A disabled proxy keeps its settings: it is neither created nor deleted.
  enable: "enabled",
  disable: "disabled",
  create: "created",
  update: "updated",
  delete: "deleted",
  quorum: "set the root quorum of",
}

/** Keys of the folder are P-256 keys, compressed. */
function isP256Key(text: string): boolean {
  return /^0[23][0-9a-f]{64}$/.test(text)
}

/** An id or an address, rather than a name of the contract. */
function isIdentifier(text: string): boolean {
  return text.length >= 26 && !text.includes("_")
}

/** Every text in a result: ids and addresses. */
function textsIn(value: unknown): string[] {
  return membersIn(value).map(({ text }) => text)
}

/** Every text in a result, with the member that has it. */
function membersIn(value: unknown, member = ""): { text: string; member: string }[] {
  if (typeof value === "string") return [{ text: value, member }]
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([name, one]) => membersIn(one, Array.isArray(value) ? member : name))
}

/** The members of the file of --file. Names stand for ids in the expressions of a policy. @throws {CliError} usage */
async function readFileMembers(
  name: OptionValues[string],
  { resource, command }: ResourceChange,
  directory: Directory,
  report: (line: string) => void,
): Promise<MembersFile | undefined> {
  if (name === undefined) return undefined
  const file = await readMembersFile(String(name))
  const known = (MEMBERS[command.type] ?? []).map((member) => member.name)
  const unknown = Object.keys(file.members).filter((member) => !known.includes(member))
  file.refuse(unknown.map((member) => unknownMember([member], known)))
  if (resource.kind !== "policy") return file
  const { withIds } = await import("../policies/references.ts")
  const placeOf = (member: string) => file.placeOf([member])
  return { ...file, members: await withIds(file.members, directory, report, placeOf) }
}

/** A sentence of the API with options in place of the members that they give. Names of one small word are left alone. */
function withOptions(line: string, options: ResourceChange["options"]): string {
  return options
    .filter(({ member }) => /[A-Z]/.test(member.name))
    .reduce(
      (text, { member, long }) => text.replace(new RegExp(`(?<![.\\w])${member.name}\\b`, "g"), long),
      line,
    )
}

/** Adds to the fault of a member the option that gave it, or its place in the file. */
function explainer(
  { command, options, argument }: ResourceChange,
  members: FileMembers,
  file: MembersFile | undefined,
): (sentence: string, member: string) => string {
  const all = argument === undefined ? options : [...options, argument]
  return (sentence, member) => {
    const path = partsOf(member).slice(command.within === undefined ? 0 : 2)
    const name = String(path[0])
    const isOfFile =
      file !== undefined && Object.hasOwn(file.members, name) && file.members[name] === members[name]
    if (isOfFile) return `${file.placeOf(path)}: ${sentence}`
    const option = all.find((one) => one.member.name === name)
    return option === undefined ? sentence : `${sentence} (${option.long})`
  }
}
