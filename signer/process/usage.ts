import { parseArgs, type ParseArgsOptionsConfig } from "node:util"
import { closestName } from "../core/closest-name.ts"

/** The command line cannot be understood. */
export class UsageFault extends Error {}

/** The words of a command line: its options, and the rest. @throws {UsageFault} with the option that was probably meant */
export function parseWords<Options extends ParseArgsOptionsConfig>(
  words: readonly string[],
  options: Options,
) {
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true })
  } catch (cause) {
    const { code, message } = cause as { code?: string; message: string }
    const [, unknown] = code === "ERR_PARSE_ARGS_UNKNOWN_OPTION" ? (/'(--?[^']+)'/.exec(message) ?? []) : []
    if (unknown === undefined) throw new UsageFault(message, { cause })
    const meant = closestName(
      unknown,
      Object.keys(options).map((name) => `--${name}`),
    )
    throw new UsageFault(
      `there is no option ${unknown}${meant === undefined ? "" : `; did you mean ${meant}?`}`,
      {
        cause,
      },
    )
  }
}

/** The fault of a command that is absent or unknown: the command that was probably meant, or the whole usage. */
export function unknownCommand(
  command: string | undefined,
  known: readonly string[],
  usage: string,
): UsageFault {
  if (command === undefined) return new UsageFault(`no command\n\n${usage}`)
  const meant = closestName(command, known)
  return new UsageFault(
    `no command "${command}"${meant === undefined ? `\n\n${usage}` : `; did you mean ${meant}?`}`,
  )
}
