// Commands of several verbs, such as `audit verify`. Each verb takes options of its own.
import type { ParseArgsOptionsConfig } from "node:util"
import { excessWords, parseWords, UsageFault, unknownCommand } from "../../core/command-line.ts"

export type VerbTable<Options extends ParseArgsOptionsConfig> = {
  /** The command before the verb. */
  readonly name: string
  readonly usage: string
  readonly options: Options
  /** Options that every verb takes. */
  readonly common: readonly (keyof Options)[]
  /** Options of each verb beside them, and the most words that follow it. */
  readonly verbs: {
    readonly [verb: string]: { readonly options: readonly (keyof Options)[]; readonly words?: number }
  }
}

/** Reads the words after the command; undefined: help is asked for. @throws {UsageFault} */
export function readVerb<Options extends ParseArgsOptionsConfig>(
  words: readonly string[],
  { name, usage, options, common, verbs }: VerbTable<Options>,
) {
  const program = `countersign-signer ${name}`
  const { values, positionals } = parseWords(words, options, program)
  const [verb, ...rest] = positionals
  if ("help" in values && values["help"] === true) return undefined
  if (verb === undefined) throw new UsageFault(`no command\n\n${usage}`)
  const taken = verbs[verb]
  if (taken === undefined) throw unknownCommand(verb, Object.keys(verbs), program)
  const foreign = Object.keys(values).find((option) => ![...common, ...taken.options].includes(option))
  if (foreign !== undefined) throw new UsageFault(`--${foreign} does not belong to ${name} ${verb}`)
  const excess = rest.slice(taken.words ?? 0)
  if (excess.length > 0) throw excessWords(excess, verb, program)
  const needed = (value: string | undefined, option: string) => {
    if (value !== undefined) return value
    throw new UsageFault(`${name} ${verb} needs ${option}`)
  }
  return { verb, values, rest, needed }
}

/** @throws {UsageFault} unless the text is a whole number up to `most` */
export function wholeNumber(option: string, text: string, most: number): number {
  if (/^\d{1,16}$/.test(text) && Number(text) <= most) return Number(text)
  throw new UsageFault(`${option}: write a whole number up to ${most}`)
}
