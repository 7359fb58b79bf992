import "../common/refuse-debugger.ts"
import { printSettings } from "../common/settings.ts"
import { dashboardHostSettings } from "./config.ts"

printSettings(dashboardHostSettings)
