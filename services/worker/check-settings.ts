import "../common/refuse-debugger.ts"
import { printFaults } from "../common/settings.ts"
import { readWorkerConfig } from "./config.ts"

printFaults(readWorkerConfig)
