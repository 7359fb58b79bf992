// Words of commands that make or restore the part of one host.
import { resolve } from "node:path"
import { UsageFault } from "../command-line.ts"
import { backupIdIn, type PartCommand } from "./make-part.ts"
import type { ArchiveCommand } from "./read-archive.ts"

export const PART_OPTIONS = {
  to: { type: "string" },
  out: { type: "string" },
  id: { type: "string" },
  key: { type: "string" },
  pins: { type: "string" },
  head: { type: "string" },
} as const

type Values = { readonly [Name in keyof typeof PART_OPTIONS]?: string | undefined }

/** `key`: the file of a holder's private key. */
export type RestorePart = ArchiveCommand & { key: string }

/** Output of a command about a part: lines for a person, or one object for a program. */
export type PartResult = { lines: readonly string[]; json: object }

export type PartWords =
  | { verb: "create"; part: PartCommand }
  | { verb: "restore" | "rehearse"; part: RestorePart }

const TAKEN: { readonly [verb: string]: readonly (keyof Values)[] } = {
  create: ["to", "out", "id"],
  restore: ["key", "pins", "head"],
  rehearse: ["key", "pins", "head"],
}

/**
 * Reads `create --to FILE --out FILE`, `restore FILE... --key FILE` or `rehearse FILE... --key FILE`.
 * @param command the words before the verb, for sentences
 * @throws {UsageFault}
 */
export function readPartWords(
  values: Values,
  [verb, ...files]: readonly string[],
  command: string,
): PartWords {
  const taken = TAKEN[verb ?? ""]
  if (taken === undefined) throw new UsageFault(`${command} takes create, restore or rehearse`)
  const names = Object.keys(PART_OPTIONS) as (keyof Values)[]
  const foreign = names.find((name) => values[name] !== undefined && !taken.includes(name))
  if (foreign !== undefined) throw new UsageFault(`--${foreign} does not belong to ${command} ${verb}`)
  const needed = (name: "to" | "out" | "key") => {
    const value = values[name]
    if (value !== undefined) return value
    throw new UsageFault(`${command} ${verb} needs --${name} FILE`)
  }
  if (verb === "restore" || verb === "rehearse") {
    if (files.length === 0) throw new UsageFault(`${command} ${verb} needs the files of the backup`)
    return { verb, part: { files, key: needed("key"), pins: values.pins, head: values.head } }
  }
  if (files.length > 0) throw new UsageFault(`${command} create takes no file beside --to and --out`)
  const [holders, out] = [needed("to"), resolve(needed("out"))]
  return { verb: "create", part: { out, holders, backupId: backupIdIn(values.id) } }
}
