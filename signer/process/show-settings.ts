import { type ListSettings, linesOfSettings } from "../core/settings/listing.ts"
import { SettingsError } from "../core/settings/settings.ts"
import { fileState } from "./settings.ts"
import { terminal } from "./terminal.ts"

/**
 * Prints the settings of this process, with `--json` also their faults.
 *
 * @throws {SettingsError} naming all faults at once, after the listing
 */
export function showSettings(list: ListSettings, environment: NodeJS.ProcessEnv, isJson: boolean): void {
  const listing = list(environment, fileState)
  const lines = isJson ? [JSON.stringify(listing)] : linesOfSettings(listing.settings)
  lines.forEach(terminal.print)
  if (listing.faults.length > 0) throw new SettingsError(listing.faults)
}
