import { existsSync } from "node:fs"
import { join, relative } from "node:path"
import { shellWord } from "../../signer/core/command-text.ts"
import { RELEASE_FILE } from "../../signer/core/release/file-list.ts"
import { packageRoot } from "./settings.ts"

/** True in an unpacked release, which needs neither npm nor a Node of the host. */
export const isRelease = existsSync(join(packageRoot, RELEASE_FILE))

/** Commands as a person in a checkout writes them, with what comes before the program's name. */
const OF_CHECKOUT = /\b(?:npx (countersign(?:-[a-z]+)?)|npm start(?: --)?)(?![\w-])/g

/** A line for people: in a release its commands are the programs of the release's folder. */
export function withOwnCommands(
  line: string,
  inRelease: boolean = isRelease,
  from: string = process.cwd(),
): string {
  if (!inRelease) return line
  const folder = relative(from, packageRoot)
  const start = folder === "" ? "./" : `${folder.startsWith("..") ? packageRoot : folder}/`
  return line.replace(OF_CHECKOUT, (_, program: string | undefined) =>
    program === undefined ? `${shellWord(`${start}countersign`)} dev` : shellWord(start + program),
  )
}
