import "../common/refuse-debugger.ts"
import { printSettings, type SettingsOf } from "../common/settings.ts"
import { apiSettings } from "./config.ts"

export const settingsOf: SettingsOf = apiSettings

if (import.meta.main) printSettings(settingsOf)
