import { invalid, type Setting, shownBy } from "./settings.ts"

/** A program and its arguments; no shell reads them. */
export type Argv = readonly [string, ...string[]]

/** A JSON list of texts, such as `["systemd-creds", "decrypt", "-", "-"]`. */
export const commandSetting: Setting<Argv | undefined> = shownBy(readArgv, (argv) =>
  argv === undefined ? "" : JSON.stringify(argv),
)

function readArgv(text: string | undefined): Argv | undefined {
  if (text === undefined) return undefined
  const words = parse(text)
  const isList =
    Array.isArray(words) && words.every((word) => typeof word === "string" && !word.includes("\0"))
  if (isList && typeof words[0] === "string" && words[0] !== "") return words as unknown as Argv
  throw invalid('write a JSON list of texts, the program first: ["systemd-creds", "decrypt", "-", "-"]')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
