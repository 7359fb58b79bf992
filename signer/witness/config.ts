import { join } from "node:path"
import type { NoteKey } from "../core/log/note-key.ts"
import { type ListSettings, listSettings } from "../core/settings/listing.ts"
import {
  dataDirectoryOf,
  type Environment,
  type HostAndPort,
  invalid,
  path,
  readHostAndPort,
  readSettings,
  shownAsWritten,
  type SettingValues,
  trueOrUnset,
  writeAddress,
} from "../core/settings/settings.ts"
import { readKnownLogs, readWitnessName } from "../process/known-logs.ts"

export type WitnessConfig = {
  listen: HostAndPort
  /** Name of the witness's key, such as its host and a path. */
  name: string
  seedFile: string
  headsFile: string
  logsFile: string
}

/** The settings of a witness, without prefix. */
function shapeOf(directory: string) {
  return {
    LISTEN: Object.assign(
      (text = "localhost:7380") => {
        const address = readHostAndPort(text)
        if (address === undefined) throw invalid("write host:port")
        return address
      },
      { show: (address: HostAndPort) => writeAddress(address) },
    ),
    BEHIND_PROXY: trueOrUnset,
    NAME: (text = "") => readWitnessName(text),
    SEED_FILE: path(join(directory, "seed")),
    HEADS_FILE: path(join(directory, "heads.sqlite")),
    LOGS_FILE: shownAsWritten(path(join(directory, "logs"))),
  }
}

type Values = Partial<SettingValues<ReturnType<typeof shapeOf>>>

/** The witness speaks plain HTTP: beyond the loopback a proxy with TLS is before it. */
function faultsTogether({ LISTEN: listen, BEHIND_PROXY: isBehindProxy }: Values): string[] {
  const isLocal =
    listen === undefined ||
    listen.host === "localhost" ||
    listen.host === "::1" ||
    listen.host.startsWith("127.")
  if (isLocal || isBehindProxy === true) return []
  return [
    "LISTEN: plain HTTP beyond this host's loopback; put a proxy with TLS before it and set COUNTERSIGN_WITNESS_BEHIND_PROXY=true",
  ]
}

const OPTIONS = { prefix: "COUNTERSIGN_WITNESS_", check: faultsTogether }

const directoryOf = (environment: Environment) => join(dataDirectoryOf(environment), "witness")

/** Lists the settings as they are read. */
export const listConfig: ListSettings = (environment, fileState) =>
  listSettings("witness", shapeOf(directoryOf(environment)), environment, { options: OPTIONS, fileState })

/** Reads the environment into a frozen value. @throws {SettingsError} naming all faults at once */
export function readConfig(environment: Environment): Readonly<WitnessConfig> {
  const values = readSettings(shapeOf(directoryOf(environment)), environment, OPTIONS)
  return Object.freeze({
    listen: values.LISTEN,
    name: values.NAME,
    seedFile: values.SEED_FILE,
    headsFile: values.HEADS_FILE,
    logsFile: values.LOGS_FILE,
  })
}

/** The keys of the logs that this witness cosigns. @throws {SettingsError} */
export function readLogs({ logsFile }: WitnessConfig): NoteKey[] {
  return readKnownLogs(logsFile, "COUNTERSIGN_WITNESS_LOGS_FILE")
}
