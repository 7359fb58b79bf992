import { parseArgs, type ParseArgsOptionsConfig } from "node:util"
import { closestName } from "./closest-name.ts"
import { UsageError } from "./settings/start-fault.ts"

/** The command line cannot be understood. */
export class UsageFault extends UsageError {}

/**
 * The words of a command line: its options, and the rest. `program`: what precedes the words, such as `countersign-signer`.
 * @throws {UsageFault} an unknown option with the one that was probably meant, or a value that is missing or not expected
 */
export function parseWords<Options extends ParseArgsOptionsConfig>(
  words: readonly string[],
  options: Options,
  program: string,
) {
  const config = { args: [...words], options, allowPositionals: true } as const
  for (const token of parseArgs({ ...config, strict: false, tokens: true }).tokens) {
    if (token.kind !== "option") continue
    const fault = faultOf(token, options)
    if (fault !== undefined) throw usageFault(fault, program)
  }
  return parseArgs(config)
}

type OptionToken = {
  name: string
  rawName: string
  value?: string | undefined
  inlineValue?: boolean | undefined
}

function faultOf(
  { name, rawName, value, inlineValue = false }: OptionToken,
  options: ParseArgsOptionsConfig,
): Fault | undefined {
  if (!Object.hasOwn(options, name)) {
    const meant = closestName(
      rawName,
      Object.keys(options).map((known) => `--${known}`),
    )
    return { sentence: `there is no option ${rawName}`, meant }
  }
  if (options[name]?.type === "boolean")
    return value === undefined ? undefined : { sentence: `option ${rawName} takes no value` }
  if (value === undefined) return { sentence: `option ${rawName} needs a value` }
  return !inlineValue && value.startsWith("-") && value !== "-"
    ? {
        sentence: `option ${rawName} needs a value; one that begins with a dash is written ${rawName}=${value}`,
      }
    : undefined
}

/** The fault of a command that is unknown. */
export function unknownCommand(command: string, known: readonly string[], program: string): UsageFault {
  return usageFault({ sentence: `no command "${command}"`, meant: closestName(command, known) }, program)
}

/** The fault of words that a command does not take. */
export function excessWords(words: readonly string[], command: string, program: string): UsageFault {
  return usageFault({ sentence: `"${words.join(" ")}" is not expected after ${command}` }, program)
}

type Fault = { sentence: string; meant?: string | undefined }

function usageFault({ sentence, meant }: Fault, program: string): UsageFault {
  const advice = `${program} --help lists commands and options`
  return new UsageFault(
    meant === undefined ? `${sentence}: ${advice}` : `${sentence}; did you mean ${meant}? ${advice}`,
  )
}
