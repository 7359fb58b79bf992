import { isObject } from "../json.ts"
import { readValueFile, type ValueFile } from "./value-file.ts"

export type FileMembers = { [member: string]: unknown }

/** The members of a request that a file holds, and their places. */
export type MembersFile = Pick<ValueFile, "placeOf" | "refuse"> & { members: FileMembers }

/**
 * Reads the members of a request from a file in YAML or JSON, or from standard input for `-`.
 *
 * @throws {CliError} usage, with every mistake of syntax
 */
export async function readMembersFile(file: string): Promise<MembersFile> {
  const { value, ...places } = await readValueFile(file, "docs/api.md")
  if (!isObject(value)) places.refuse([{ path: [], sentence: "is not an object in YAML or JSON" }])
  return { ...places, members: value as FileMembers }
}
