import { readFile } from "node:fs/promises"
import { text as readAll } from "node:stream/consumers"
import { usage } from "../exit.ts"

/** The text of a file that an option names, or standard input for `-`. @throws {CliError} usage */
export async function readTextFile(option: string, file: string): Promise<string> {
  const read = file === "-" ? readAll(process.stdin) : readFile(file, "utf8")
  return read.catch((cause: NodeJS.ErrnoException) => {
    throw usage(`${option}: cannot read ${file} (${cause.code})`, { cause })
  })
}
