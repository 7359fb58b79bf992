import { readFileSync } from "node:fs"
import { ED25519, isKeyName, type NoteKey, readNoteKeys } from "../core/log/note-key.ts"
import { invalid } from "../core/settings/settings.ts"

/** The keys of the logs that a witness cosigns, a line each. `name`: of the setting that has the file's path. @throws {SettingsError} */
export function readKnownLogs(file: string, name: string): NoteKey[] {
  let text: string
  try {
    text = readFileSync(file, "utf8")
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw invalid(`${name}: ${file} cannot be read (${code}): write the keys of logs into it, one a line`)
  }
  const keys = readNoteKeys(text, ED25519)
  if (keys === undefined)
    throw invalid(
      `${name}: a line of ${file} is no key of a log; write <origin>+<id>+<base64>, as the log's operator gives it`,
    )
  if (keys.length === 0) throw invalid(`${name}: ${file} has no key: this witness would cosign nothing`)
  return keys
}

/** The name of a witness's key. @throws {SettingsError} */
export function readWitnessName(text: string): string {
  if (isKeyName(text)) return text
  throw invalid("write a name of this witness's key, such as witness.example/1, without spaces and +")
}
