import { readFile } from "node:fs/promises"
import { text } from "node:stream/consumers"
import { usage } from "../exit.ts"

/** The text of a file, or standard input for `-`. @param option that names it, in the fault. @throws {CliError} usage */
export async function readText(file: string, option?: string): Promise<string> {
  const read = file === "-" ? text(process.stdin) : readFile(file, "utf8")
  return read.catch((cause: NodeJS.ErrnoException) => {
    const why = cause.code ?? cause.message
    throw usage(
      option === undefined ? `${file} cannot be read (${why})` : `${option}: cannot read ${file} (${why})`,
      { cause },
    )
  })
}
