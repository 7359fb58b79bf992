import { readFile } from "node:fs/promises"
import { parseDocument, type Document } from "yaml"
import { usage } from "../terminal-client/exit.ts"
import { readFormFile } from "../terminal-client/files/form-file.ts"
import { type FileFault, unreadable } from "../terminal-client/files/value-file.ts"
import { type OrganizationFile, organizationFile } from "./file.ts"

/** A file that was read, and the places of its members. */
export type ReadOrganization = {
  file: OrganizationFile
  /** Fails with all of these mistakes, if there are any. @throws {CliError} usage */
  refuse: (faults: readonly FileFault[]) => void
}

/** @throws {CliError} usage, with every mistake of the file at once */
export async function readOrganizationFile(path: string): Promise<ReadOrganization> {
  const { data, refuse } = await readFormFile(organizationFile, path, "docs/organization-as-code.md")
  return { file: data, refuse }
}

/** The document of a file that exists, with its comments; undefined: there is none. @throws {CliError} usage */
export async function readDocument(path: string): Promise<Document | undefined> {
  const text = await readFile(path, "utf8").catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return undefined
    throw unreadable(path, cause)
  })
  if (text === undefined) return undefined
  const document = parseDocument(text, { strict: true })
  const [error] = document.errors
  if (error === undefined) return document
  throw usage(`${path} is not YAML: ${error.message.split("\n")[0]}. It was not changed`)
}
