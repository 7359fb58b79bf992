import { expand, readReference } from "../../organization-file/references.ts"
import { usage } from "../../terminal-client/exit.ts"
import { KINDS } from "../../terminal-client/names/kinds.ts"
import type { Directory } from "../../terminal-client/names/resolve.ts"
import type { FileMembers } from "../../terminal-client/files/members-file.ts"

/** Members of a policy that are expressions. */
const EXPRESSIONS = ["condition", "consensus", "time"] as const

/** Where a member stands in its file. */
type PlaceOf = (member: string) => string

/**
 * The members of a policy's file with ids in place of names: `'@user:alice'` stands for alice's id, as in the file of an
 * organization. A name must be whole and of one object. The API says which id it has; a dry run shows the ids.
 *
 * @throws {CliError} usage, with every unknown name
 */
export async function withIds(
  members: FileMembers,
  directory: Directory,
  report: (line: string) => void,
  placeOf: PlaceOf,
): Promise<FileMembers> {
  const ids = new Map<string, string>()
  const unknown: string[] = []
  for (const [reference, member] of referencesIn(members)) {
    const found = await idsOf(reference, directory)
    const [id] = found
    if (id !== undefined && found.length === 1) ids.set(reference, id)
    else {
      const fault = found.length > 1 ? "fits several" : "stands for nothing"
      unknown.push(`${placeOf(member)}: ${reference} ${fault}`)
    }
  }
  if (unknown.length > 0) throw usage(unknown)
  for (const [reference, id] of ids) report(`${reference} -> ${id}`)
  const expanded = expressionsOf(members).map(([name, text]) => [
    name,
    expand(text, (kind, named) => ids.get(`@${kind}:${named}`)).text,
  ])
  return { ...members, ...Object.fromEntries(expanded) }
}

function expressionsOf(members: FileMembers): [name: string, text: string][] {
  return EXPRESSIONS.flatMap((name): [string, string][] => {
    const text = members[name]
    return typeof text === "string" ? [[name, text]] : []
  })
}

/** References with the member that has each first. */
function referencesIn(members: FileMembers): Map<string, string> {
  const found = new Map<string, string>()
  for (const [member, text] of expressionsOf(members))
    for (const reference of expand(text, () => undefined).missing)
      if (!found.has(reference)) found.set(reference, member)
  return found
}

async function idsOf(reference: string, directory: Directory): Promise<string[]> {
  const read = readReference(reference)
  if (read === undefined) return []
  const { kind, name } = read
  switch (kind) {
    case "user":
    case "tag":
    case "private-key-tag":
    case "session-profile":
    case "wallet":
    case "private-key": {
      const { id, names } = KINDS[kind]
      // The first member is the name; others, such as an address, are no names of files.
      const [member = ""] = names
      const items = await directory.list(kind)
      return items.filter((item) => item[member] === name).map((item) => String(item[id]))
    }
    default:
      return []
  }
}
