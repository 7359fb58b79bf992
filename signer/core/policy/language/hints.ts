// What people write by habit of other languages, or remember wrongly, and what they mean.

/** Signs and words that are no part of the language. */
const ADVICE: ReadonlyMap<string, string> = new Map([
  ['"', "strings stand in single quotes"],
  ["`", "strings stand in single quotes"],
  ["\u2018", "strings stand in straight single quotes"],
  ["\u2019", "strings stand in straight single quotes"],
  ["\u201c", "strings stand in straight single quotes"],
  ["\u201d", "strings stand in straight single quotes"],
  ["&", "and is written &&"],
  ["|", "or is written ||"],
  ["=", "equality is written =="],
  ["-", "there is no arithmetic and no negative integer"],
  ["+", "there is no arithmetic and no joining of strings"],
  ["*", "there is no arithmetic"],
  ["/", "there is no arithmetic and no comment"],
  ["%", "there is no arithmetic"],
  ["?", "there is no conditional: use && and ||"],
  [";", "an expression is one sentence without an end mark"],
  ["#", "there are no comments"],
  ["\\", "strings know no escapes"],
  ["and", "and is written &&"],
  ["AND", "and is written &&"],
  ["or", "or is written ||"],
  ["OR", "or is written ||"],
  ["not", "not is written !"],
  ["NOT", "not is written !"],
  ["is", "equality is written =="],
  ["hex_to_uint", "there is no conversion: compare a slice with its hexadecimal text"],
  ["startsWith", "there are no string functions: compare a slice, as in x[0..10] == '0xa9059cbb'"],
  ["starts_with", "there are no string functions: compare a slice, as in x[0..10] == '0xa9059cbb'"],
  ["endsWith", "there are no string functions: compare a slice"],
  ["toLowerCase", "wrap both sides in CaseInsensitiveString(...)"],
  ["lower", "wrap both sides in CaseInsensitiveString(...)"],
  ["matches", "there are no patterns: use == or in"],
  ["includes", "contains"],
  ["has", "contains"],
  ["some", "any"],
  ["exists", "any"],
  ["every", "all"],
  ["length", "count()"],
  ["size", "count()"],
  ["len", "count()"],
])

/** Field names of other tools and of older documents. */
const FIELDS: ReadonlyMap<string, readonly string[]> = new Map([
  ["program_id", ["program_key"]],
  ["programId", ["program_key"]],
  ["data", ["instruction_data_hex", "input"]],
  ["input", ["data"]],
  ["gas_limit", ["gas"]],
  ["recipient", ["to"]],
  ["sender", ["from"]],
  ["name", ["label"]],
  ["mint", ["token_mint"]],
  ["lamports", ["amount"]],
  ["value", ["amount"]],
  ["amount", ["value"]],
  ["path", ["path_indexes"]],
  ["pubkey", ["account_key", "public_key"]],
  ["tag_ids", ["tags"]],
  ["user_id", ["id"]],
  ["wallet_id", ["id"]],
  ["private_key_id", ["id"]],
  ["length", ["count()"]],
  ["size", ["count()"]],
])

export function advise(written: string): { suggestion?: string } {
  const suggestion = ADVICE.get(written)
  return suggestion === undefined ? {} : { suggestion }
}

const MAX_SHOWN = 40

/** A piece of the text as it may stand in a message: short, and in one line. */
export function shown(text: string): string {
  const clean = text.replace(/\p{Cc}/gu, " ")
  return clean.length > MAX_SHOWN ? `${clean.slice(0, MAX_SHOWN)}...` : clean
}

/** The name that was probably meant, of those that exist. */
export function suggestName(written: string, existing: Iterable<string>): { suggestion?: string } {
  if (written.length > MAX_SHOWN) return {}
  const names = [...existing]
  const known = FIELDS.get(written)?.find((name) => names.includes(name) || name === "count()")
  const snake = written.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  const suggestion =
    (names.includes(snake) ? snake : undefined) ??
    names.find((name) => name.toLowerCase() === written.toLowerCase()) ??
    known ??
    nearest(snake, names)
  return suggestion === undefined ? {} : { suggestion }
}

/** Mistakes in a name of this many letters that still leave it recognizable. */
function tolerance(name: string): number {
  return name.length < 4 ? 1 : 2
}

function nearest(written: string, names: readonly string[]): string | undefined {
  let best: string | undefined
  let least = tolerance(written) + 1
  for (const name of names) {
    const distance = editDistance(written, name)
    if (distance < least) [best, least] = [name, distance]
  }
  return best
}

/** Levenshtein's distance: letters to insert, delete or replace. */
export function editDistance(one: string, other: string): number {
  let previous = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= other.length; column += 1) {
      const replaced = (previous[column - 1] ?? 0) + (one[row - 1] === other[column - 1] ? 0 : 1)
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1))
    }
    previous = current
  }
  return previous[other.length] ?? 0
}
