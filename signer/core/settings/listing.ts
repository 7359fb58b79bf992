import {
  type Environment,
  faultsOf,
  optionalText,
  path,
  dataDirectoryOf,
  readSettings,
  type Setting,
  type SettingsShape,
  type ShapeOptions,
  trueOrUnset,
  writeAddress,
} from "./settings.ts"

/** One setting as `config` shows it. Secrets are in files, so none is in it. */
export type ListedSetting = {
  /** The process that reads it. */
  process: string
  name: string
  /** The value that was read; null: none, or a faulty one. */
  value: string | null
  source: "environment" | "default"
  /** For a setting that names a file: `readable`, or the code of the system's fault, such as ENOENT. */
  file?: string
}

/** The settings of a process, of known ones only, and what is wrong with them. */
export type SettingsListing = { settings: readonly ListedSetting[]; faults: readonly string[] }

/** Reads the settings of one environment as its process does, and lists them. */
export type ListSettings = (environment: Environment, fileState: FileState) => SettingsListing

/** `readable`, or the code of the fault with which the file cannot be read. Its content is not looked at. */
export type FileState = (path: string) => string

/** Settings of every process, which are read where they are needed. */
function commonSettings(environment: Environment): SettingsShape {
  return {
    COUNTERSIGN_DATA_DIR: path(dataDirectoryOf(environment)),
    COUNTERSIGN_EXIT_WITH_PARENT: optionalText,
    COUNTERSIGN_PRODUCTION: trueOrUnset,
  }
}

/** Lists the settings of a shape, in its order, with the reader that the process itself uses. */
export function listSettings<S extends SettingsShape>(
  process: string,
  shape: S,
  environment: Environment,
  { options = {}, fileState }: { options?: ShapeOptions<S>; fileState: FileState },
): SettingsListing {
  const { prefix = "" } = options
  const all: [name: string, read: Setting<unknown>][] = [
    ...Object.entries(commonSettings(environment)),
    ...Object.entries(shape).map(([name, read]): [string, Setting<unknown>] => [prefix + name, read]),
  ]
  return {
    settings: all.map(([name, read]) => listSetting(process, name, read, environment, fileState)),
    faults: faultsOf(() => readSettings(shape, environment, options)),
  }
}

function listSetting(
  process: string,
  name: string,
  read: Setting<unknown>,
  environment: Environment,
  fileState: FileState,
): ListedSetting {
  const text = environment[name] || undefined
  const value = shownValue(read, text)
  const source = text === undefined ? "default" : "environment"
  const isFile = name.endsWith("_FILE") && value !== null
  return { process, name, value, source, ...(isFile && { file: fileState(value) }) }
}

/** The value as text; null: there is none, or it is faulty. */
function shownValue(read: Setting<unknown>, text: string | undefined): string | null {
  let value: unknown
  const isFaulty = faultsOf(() => {
    value = read(text)
  }).length
  if (isFaulty > 0) return null
  const shown = read.show === undefined ? textOf(value) : read.show(value, text)
  return shown === "" ? null : shown
}

function textOf(value: unknown): string {
  if (value === undefined) return ""
  if (typeof value === "string") return withoutPassword(value)
  if (typeof value === "number" || typeof value === "boolean") return String(value)
  if (Array.isArray(value) || value instanceof Set) return [...value].map(textOf).join(", ")
  if (isHostAndPort(value)) return writeAddress(value)
  throw new Error("a setting whose value is an object needs `show`")
}

function isHostAndPort(value: unknown): value is { host: string; port: number } {
  return typeof value === "object" && value !== null && "host" in value && "port" in value
}

/** Parameters of a URL of PostgreSQL that hold no secret. */
const PLAIN_PARAMETERS = ["sslmode", "application_name", "connect_timeout"]

/** A URL without password and without values of parameters, which may be one too; any other text as it is. */
function withoutPassword(text: string): string {
  const [, before = "", query] = /^([a-z][a-z0-9+.-]*:\/\/[^?#]*)(?:\?([^#]*))?/i.exec(text) ?? []
  if (before === "") return text
  const place = before.replace(/^([a-z0-9+.-]+:\/\/[^@/:]*):.*@/i, "$1:[hidden]@")
  if (query === undefined) return place
  const parameters = query.split("&").map((parameter) => {
    const [name = ""] = parameter.split("=")
    if (PLAIN_PARAMETERS.includes(name)) return parameter
    return `${/^\w+$/.test(name) ? name : ""}=[hidden]`
  })
  return `${place}?${parameters.join("&")}`
}

/** The listing as lines: name, value, source. */
export function linesOfSettings(settings: readonly ListedSetting[]): string[] {
  const rows = settings.map(({ name, value, source, file }) => ({
    name,
    value: value ?? (source === "default" ? "not set" : "-"),
    note:
      file === undefined ? source : `${source}, file ${file === "readable" ? file : `not readable: ${file}`}`,
  }))
  const width = (column: "name" | "value") => Math.max(0, ...rows.map((row) => row[column].length))
  const [names, values] = [width("name"), Math.min(width("value"), MAX_WIDTH)]
  return rows.map(({ name, value, note }) => `${name.padEnd(names)}  ${value.padEnd(values)}  ${note}`)
}

/** A longer value, such as a key set, moves the columns of its own line alone. */
const MAX_WIDTH = 44
