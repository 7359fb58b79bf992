import { readFile } from "node:fs/promises"
import { text as readAll } from "node:stream/consumers"
import { submitChange, type ChangeOptions, resultOf } from "../changes/change.ts"
import type { Stamping } from "../changes/stamping.ts"
import { CliError, ExitCode } from "../exit.ts"
import { Directory } from "../names/resolve.ts"
import { findSubOrganization } from "../names/sub-organizations.ts"
import { type CommandOption, commanderName, readPlain, type Values } from "../resources/fields.ts"
import { MEMBERS } from "../resources/members.ts"
import type { ChangeCommand, ReadContext, Resource } from "../resources/resource.ts"
import { printResult } from "../terminal.ts"

export type ResourceChange = {
  resource: Resource
  command: ChangeCommand
  options: readonly CommandOption[]
  /** The member that the argument gives. */
  argument: CommandOption | undefined
  /** The argument. */
  first: string | readonly string[] | undefined
}

type Context = { stamping: Stamping; keysFolder: string }
type Members = { [member: string]: unknown }

/** Submits the activity of a resource's command, and prints its result. @throws {CliError} */
export async function changeResource(
  resourceChange: ResourceChange,
  values: Values & ChangeOptions,
  { stamping: given, keysFolder }: Context,
): Promise<void> {
  const { command } = resourceChange
  const stamping = command.inOrganization ? await inOrganization(given, String(resourceChange.first)) : given
  const directory = new Directory(stamping.client, stamping.organizationId)
  const members = await readMembers(resourceChange, values, { directory, keysFolder })
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
    { type: command.type, parameters: parametersOf(command, members), options: flags },
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

/** The members: those of the file, then the options, then the argument. */
async function readMembers(
  { options, argument, first }: ResourceChange,
  values: Values,
  context: ReadContext & { directory: Directory },
): Promise<Members> {
  const members: Members = values["file"] === undefined ? {} : await readFileMembers(String(values["file"]))
  for (const option of options) {
    const value = values[commanderName(option.long)]
    if (value !== undefined) members[option.member.name] = await valueOf(option, value, context, members)
  }
  if (argument !== undefined && first !== undefined)
    members[argument.member.name] = await valueOf(argument, first, context, members)
  return members
}

async function valueOf(
  { member, given, long, isList, isSwitch }: CommandOption,
  value: string | readonly string[] | boolean,
  context: ReadContext & { directory: Directory },
  members: Members,
): Promise<unknown> {
  if (isSwitch || typeof value === "boolean") return true
  const texts = typeof value === "string" ? [value] : value
  if (given.read !== undefined) return given.read(texts, context)
  const { refers } = member
  if (refers === undefined) {
    const read = texts.map((text) => readPlain(member, text, long))
    return isList ? read : read[0]
  }
  // Names of credentials are those of one user.
  const more =
    (refers === "key" || refers === "passkey") && members["userId"] !== undefined
      ? { userId: members["userId"] }
      : {}
  const ids = await Promise.all(texts.map((text) => context.directory.idOf(refers, text, more)))
  return isList ? ids : ids[0]
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

async function readFileMembers(file: string): Promise<Members> {
  try {
    const content = file === "-" ? await readAll(process.stdin) : await readFile(file, "utf8")
    const value: unknown = JSON.parse(content)
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Members
  } catch (cause) {
    throw new CliError(ExitCode.usage, `--file ${file}: ${(cause as Error).message}`, { cause })
  }
  throw new CliError(ExitCode.usage, `--file ${file}: not a JSON object`)
}
