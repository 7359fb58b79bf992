import { printFaults } from "../common/print-faults.ts"
import { readAuthProxyConfig } from "./config.ts"

printFaults(readAuthProxyConfig)
