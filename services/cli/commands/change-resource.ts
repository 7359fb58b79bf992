import { submitChange, type ChangeOptions, resultOf } from "../changes/change.ts"
import type { Stamping } from "../changes/stamping.ts"
import { CliError, ExitCode } from "../exit.ts"
import { Directory } from "../names/resolve.ts"
import { type Members, readObjectFile } from "../object-file.ts"
import { findSubOrganization } from "../names/sub-organizations.ts"
import { type CommandOption, commanderName, readPlain, type Values } from "../resources/fields.ts"
import { MEMBERS } from "../resources/members.ts"
import type { ChangeCommand, ReadContext, Resource } from "../resources/resource.ts"
import { SealedMember } from "../resources/sealed.ts"
import { printResult } from "../terminal.ts"
import { whoami } from "./whoami.ts"

export type ResourceChange = {
  resource: Resource
  command: ChangeCommand
  options: readonly CommandOption[]
  /** The member that the argument gives. */
  argument: CommandOption | undefined
  /** The argument. */
  first: string | readonly string[] | undefined
}

type Context = { stamping: Stamping } & Pick<ReadContext, "keysFolder" | "pinsFile">

/** Submits the activity of a resource's command, and prints its result. @throws {CliError} */
export async function changeResource(
  resourceChange: ResourceChange,
  values: Values & ChangeOptions,
  { stamping: given, ...files }: Context,
): Promise<void> {
  const { command } = resourceChange
  const stamping = command.inOrganization ? await inOrganization(given, String(resourceChange.first)) : given
  const { client, organizationId, terminal } = stamping
  const directory = new Directory(client, organizationId)
  const members = await readMembers(resourceChange, values, {
    ...files,
    directory,
    organizationId,
    key: client.key,
    report: terminal.log,
  })
  const { sender } = command
  if (sender !== undefined && members[sender] === undefined) members[sender] = await callerOf(stamping)
  const flags = new Map(
    [
      ...resourceChange.options,
      ...(resourceChange.argument === undefined ? [] : [resourceChange.argument]),
    ].map(({ member, long }) => [
      command.within === undefined ? member.name : `${command.within}.${member.name}`,
      long,
    ]),
  )
  const submitted = await submitChange(
    { type: command.type, ...contentOf(command, members), options: flags },
    values,
    stamping,
  )
  if (submitted === undefined) return
  const { activity } = submitted
  const result = resultOf(activity)
  if (values.json) {
    const { id, fingerprint, status } = activity
    printResult(stamping.terminal, { activityId: id, fingerprint, status, result }, values)
  } else stamping.terminal.print(lineOf(resourceChange, result, new Set(textsIn(members))))
}

async function inOrganization(stamping: Stamping, name: string): Promise<Stamping> {
  return { ...stamping, organizationId: await findSubOrganization(name, stamping) }
}

async function callerOf({ client, organizationId }: Stamping): Promise<string> {
  return ((await whoami(client, organizationId)) as { userId: string }).userId
}

/** Parameters of the request; if they have sealed secrets, also those by which a repeated command is recognized. */
function contentOf(command: ChangeCommand, members: Members): { parameters: Members; identity?: Members } {
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
  { resource, options, argument, first }: ResourceChange,
  values: Values,
  context: Omit<ReadContext, "members"> & { report: (line: string) => void },
): Promise<Members> {
  const members =
    values["file"] === undefined ? {} : await readFileMembers(String(values["file"]), resource, context)
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
  members: Members,
): Promise<unknown> {
  if (isSwitch || typeof value === "boolean") return true
  const texts = typeof value === "string" ? [value] : value
  if (given.read !== undefined) return given.read(texts, { ...context, members })
  const { refers } = member
  if (refers === undefined) {
    const read = texts.map((text) => readPlain(member, text, long))
    return isList ? read : read[0]
  }
  const more =
    OF_ONE_USER.includes(refers) && members["userId"] !== undefined ? { userId: members["userId"] } : {}
  const ids = await Promise.all(texts.map((text) => context.directory.idOf(refers, text, more)))
  return isList ? ids : ids[0]
}

/** Kinds whose names are those of one user. */
const OF_ONE_USER: readonly string[] = ["key", "passkey", "mfa-policy"]

/** Standard input can be read once. At a terminal each secret is asked for. @throws {CliError} usage */
function requireOneStandardInput(options: readonly CommandOption[], values: Values, ofFile: Members): void {
  const sourceOf = ({ given, long, member }: CommandOption) =>
    values[commanderName(long)] ?? (ofFile[member.name] === undefined ? given.fallback : undefined)
  const secrets = options.filter((option) => option.given.isSecret && sourceOf(option) === "-")
  const reading = [...(values["file"] === "-" ? ["--file -"] : []), ...secrets.map(({ long }) => `${long} -`)]
  const isTerminal = process.stdin.isTTY && values["file"] !== "-"
  if (reading.length < 2 || isTerminal) return
  const sentence = `${reading.join(" and ")} both read standard input: name a file for one of them`
  throw new CliError(ExitCode.usage, sentence)
}

/** The parameters: the members, or a list of the one thing that they describe, with members beside it. */
function parametersOf({ within, beside = [], type, defaults }: ChangeCommand, members: Members): Members {
  const whole = { ...emptyLists(type), ...defaults, ...members }
  if (within === undefined) return whole
  const outer = Object.entries(whole).filter(([name]) => beside.includes(name))
  const inner = Object.entries(whole).filter(([name]) => !beside.includes(name))
  return { ...Object.fromEntries(outer), [within]: [Object.fromEntries(inner)] }
}

/** Lists that must be there and may be empty. */
function emptyLists(type: string): Members {
  const lists = (MEMBERS[type] ?? []).filter(({ mayBeEmpty }) => mayBeEmpty)
  return Object.fromEntries(lists.map(({ name }) => [name, []]))
}

/** `created user alice 019b76da-…`: what the request did not name already. */
function lineOf(
  { resource, command, first }: ResourceChange,
  result: object,
  given: ReadonlySet<string>,
): string {
  const names = first === undefined ? [] : [first].flat()
  const made = textsIn(result).filter((text) => isIdentifier(text) && !given.has(text))
  return [PAST[command.verb] ?? command.verb, resource.name.replaceAll("-", " "), ...names, ...made].join(" ")
}

const PAST: { readonly [verb: string]: string } = {
  create: "created",
  update: "updated",
  delete: "deleted",
  quorum: "set the root quorum of",
}

/** An id or an address, rather than a name of the contract. */
function isIdentifier(text: string): boolean {
  return text.length >= 26 && !text.includes("_")
}

/** Every text in a result: ids and addresses. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value]
  if (typeof value !== "object" || value === null) return []
  return Object.values(value).flatMap(textsIn)
}

/** Names stand for ids in the expressions of a policy. */
async function readFileMembers(
  file: string,
  { kind }: Resource,
  { directory, report }: { directory: Directory; report: (line: string) => void },
): Promise<Members> {
  const members = await readObjectFile("--file", file)
  if (kind !== "policy") return members
  const { withIds } = await import("../policies/references.ts")
  return withIds(members, directory, report)
}
