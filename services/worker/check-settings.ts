import "../common/refuse-debugger.ts"
import { printSettings } from "../common/settings.ts"
import { workerSettings } from "./config.ts"

printSettings(workerSettings)
