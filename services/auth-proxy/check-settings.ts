import "../common/refuse-debugger.ts"
import { printFaults } from "../common/settings.ts"
import { readAuthProxyConfig } from "./config.ts"

printFaults(readAuthProxyConfig)
