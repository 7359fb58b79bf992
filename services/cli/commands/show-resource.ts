import { query } from "../../terminal-client/api-client.ts"
import { CliError, ExitCode, usage } from "../../terminal-client/exit.ts"
import { listAll } from "../../terminal-client/list-all.ts"
import type { Stamping } from "../../terminal-client/changes/stamping.ts"
import type { Kind } from "../../terminal-client/names/kinds.ts"
import { Directory } from "../../terminal-client/names/resolve.ts"
import { findSubOrganization } from "../../terminal-client/names/sub-organizations.ts"
import { isObject, type Json, memberAt } from "../../terminal-client/json.ts"
import { factLines, tableOf } from "../output/table.ts"
import { type CommandOption, commanderName, readPlain, type OptionValues } from "../resources/fields.ts"
import type { Pages, ShowCommand } from "../resources/resource.ts"
import { printResult } from "../../terminal-client/terminal.ts"

export type ResourceView = {
  command: ShowCommand
  /** Kind of the resource, and member of the request that has the id of the one shown; undefined: the list has it. */
  kind: Kind | undefined
  idMember: string | undefined
  options: readonly CommandOption[]
  /** The argument, where there is one. */
  name: string | undefined
}

/** Prints a list as a table, or one thing as facts; as JSON whole. @throws {CliError} */
export async function showResource(
  view: ResourceView,
  values: OptionValues & { json?: boolean },
  stamping: Stamping,
): Promise<void> {
  const { terminal } = stamping
  const { columns, pages } = view.command
  if (pages !== undefined) return showWithPage(view, pages, values, stamping)
  const found = await read(view, values, stamping)
  if (values.json) printResult(terminal, found, values)
  else if (columns === undefined) factLines(found as Json).forEach(terminal.print)
  else if ((found as unknown[]).length === 0) terminal.log("there is none")
  else tableOf((found as unknown[]).map(objectOf), columns).forEach(terminal.print)
}

/** Prints one thing, and a page of what belongs to it. */
async function showWithPage(
  view: ResourceView,
  { query: path, member, cursor, columns }: Pages,
  values: OptionValues & { json?: boolean },
  stamping: Stamping,
): Promise<void> {
  const { limit, after } = pageOf(values)
  const { terminal, client, organizationId } = stamping
  const found = (await read(view, values, stamping)) as Json
  const { idMember = "" } = view
  const paginationOptions = { limit: String(limit), ...(after !== undefined && { after }) }
  const request = { organizationId, [idMember]: found[idMember], paginationOptions }
  const items = memberAt(await query({ client, organizationId }, path, request), member)
  const page = Array.isArray(items) ? items.map(objectOf) : []
  if (values.json) return printResult(terminal, { ...found, [member]: page }, values)
  for (const line of factLines(found)) terminal.print(line)
  terminal.print("")
  if (page.length === 0) terminal.log(`it has no ${after === undefined ? "" : "more "}${member}`)
  else tableOf(page, columns).forEach(terminal.print)
  const last = page.length === limit ? page.at(-1)?.[cursor] : undefined
  if (typeof last === "string") terminal.log(`more ${member} may follow: add --after ${last}`)
}

/** The most that the API gives at once. */
const MAX_PAGE = 100

/** @throws {CliError} a number that no page has */
function pageOf({ limit = "20", after }: OptionValues): { limit: number; after: string | undefined } {
  const size = /^\d{1,3}$/.test(String(limit)) ? Number(limit) : 0
  if (size < 1 || size > MAX_PAGE)
    throw usage(`--limit ${String(limit)}: write a number from 1 to ${MAX_PAGE}`)
  return { limit: size, after: typeof after === "string" ? after : undefined }
}

async function read(
  { command, kind, idMember, options, name }: ResourceView,
  values: OptionValues,
  { client, organizationId, keysFolder, pinsFile }: Stamping,
): Promise<unknown> {
  const directory = new Directory({ client, organizationId })
  const { query: path, member, argument } = command
  if (argument === "kind" && kind !== undefined && idMember === undefined)
    return directory.find(kind, String(name))
  const request: { [member: string]: unknown } = { organizationId }
  for (const {
    member: { name: own, refers, ...rest },
    given,
    long,
  } of options) {
    const value = values[commanderName(long)]
    if (typeof value !== "string") continue
    const context = { keysFolder, pinsFile, organizationId, directory, key: client.key, members: request }
    const plain = () =>
      given.read === undefined ? readPlain({ name: own, ...rest }, value, long) : given.read([value], context)
    request[own] = refers === undefined ? await plain() : await directory.idOf(refers, value)
  }
  if (argument === "suborg")
    request["organizationId"] = await findSubOrganization(String(name), { client, organizationId })
  else if (argument === "kind" && kind !== undefined && idMember !== undefined) {
    const { userId } = request
    request[idMember] = await directory.idOf(kind, String(name), userId ? { userId } : {})
  }
  const querying = { client, organizationId }
  if (command.columns !== undefined) return listAll(querying, path, member, request)
  const shown = memberAt(await query(querying, path, request), member)
  if (shown !== undefined) return shown
  throw new CliError(ExitCode.fault, `the reply of ${client.url} has no ${member}`)
}

/** Ids are listed as texts. */
function objectOf(item: unknown): Json {
  return isObject(item) ? item : { value: item }
}
