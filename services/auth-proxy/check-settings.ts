import "../common/refuse-debugger.ts"
import { printSettings, type SettingsOf } from "../common/settings.ts"
import { authProxySettings } from "./config.ts"

export const settingsOf: SettingsOf = authProxySettings

if (import.meta.main) printSettings(settingsOf)
