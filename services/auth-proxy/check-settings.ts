import "../common/refuse-debugger.ts"
import { printSettings } from "../common/settings.ts"
import { authProxySettings } from "./config.ts"

printSettings(authProxySettings(process.env))
