import "../common/refuse-debugger.ts"
import { printSettings, type SettingsOf } from "../common/settings.ts"
import { dashboardHostSettings } from "./config.ts"

export const settingsOf: SettingsOf = () => dashboardHostSettings

if (import.meta.main) printSettings(settingsOf)
