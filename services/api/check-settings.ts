import "../common/refuse-debugger.ts"
import { printSettings } from "../common/settings.ts"
import { apiSettings } from "./config.ts"

printSettings(apiSettings(process.env))
