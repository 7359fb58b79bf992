import "../common/refuse-debugger.ts"
import { printFaults } from "../common/settings.ts"
import { readApiConfig } from "./config.ts"

printFaults(readApiConfig)
