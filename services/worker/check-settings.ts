import "../common/refuse-debugger.ts"
import { printSettings, type SettingsOf } from "../common/settings.ts"
import { workerSettings } from "./config.ts"

export const settingsOf: SettingsOf = () => workerSettings

if (import.meta.main) printSettings(settingsOf)
