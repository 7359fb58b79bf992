import { readFile } from "node:fs/promises"
import { text as readAll } from "node:stream/consumers"
import { CliError, ExitCode } from "./exit.ts"

export type Members = { [member: string]: unknown }

/**
 * The object that a file holds in JSON or in YAML, or standard input for `-`. A text that begins with a brace is JSON.
 *
 * @throws {CliError} usage, with every mistake of a YAML file
 */
export async function readObjectFile(option: string, file: string): Promise<Members> {
  const text = await (file === "-" ? readAll(process.stdin) : readFile(file, "utf8")).catch(
    (cause: NodeJS.ErrnoException) => {
      throw fault(option, file, [`cannot be read (${cause.code ?? cause.message})`], cause)
    },
  )
  const value = text.trimStart().startsWith("{")
    ? readJson(option, file, text)
    : await readYaml(option, file, text)
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Members
  throw fault(option, file, ["not an object in JSON or YAML"])
}

function readJson(option: string, file: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw fault(option, file, [(cause as Error).message], cause)
  }
}

async function readYaml(option: string, file: string, text: string): Promise<unknown> {
  // Loaded here: most commands read no YAML.
  const { parseDocument } = await import("yaml")
  const document = parseDocument(text, { strict: true })
  const mistakes = [...document.errors, ...document.warnings].map(
    ({ message }) => message.split("\n")[0]?.replace(/:$/, "") ?? "",
  )
  if (mistakes.length > 0) throw fault(option, file, mistakes)
  return document.toJS({ maxAliasCount: 0 })
}

function fault(option: string, file: string, mistakes: readonly string[], cause?: unknown): CliError {
  const [first = "", ...others] = mistakes
  return new CliError(ExitCode.usage, [`${option} ${file}: ${first}`, ...others], { cause })
}
