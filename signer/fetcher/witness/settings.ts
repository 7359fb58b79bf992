import { join } from "node:path"
import { path, type SettingValues, shownAsWritten } from "../../core/settings/settings.ts"
import { readWitnessName } from "../../process/known-logs.ts"

/** What a fetcher that is a witness has beside its seed. */
export type WitnessSettings = {
  /** Name of the key. */
  name: string
  /** Keys of the logs that it cosigns. */
  logsFile: string
  /** Database of the heads that it cosigned, which must survive a restart and is never restored. */
  headsFile: string
  /** File of the public key, which the fetcher writes once its seed is open. */
  keyFile: string
}

/** The settings of the fetcher as a witness, without prefix. `directory`: that of its files. */
export function witnessSettings(directory: string) {
  return {
    WITNESS_NAME: (text: string | undefined) => (text === undefined ? undefined : readWitnessName(text)),
    WITNESS_LOGS_FILE: shownAsWritten(path(join(directory, "witness-logs"))),
    WITNESS_HEADS_FILE: path(join(directory, "witness-heads.sqlite")),
  }
}

/** Undefined: this fetcher is no witness. */
export function witnessSettingsOf(
  values: SettingValues<ReturnType<typeof witnessSettings>>,
): WitnessSettings | undefined {
  const { WITNESS_NAME: name, WITNESS_LOGS_FILE: logsFile, WITNESS_HEADS_FILE: headsFile } = values
  return name === undefined ? undefined : { name, logsFile, headsFile, keyFile: `${headsFile}.key` }
}
