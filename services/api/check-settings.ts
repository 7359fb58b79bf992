import { printFaults } from "../common/print-faults.ts"
import { readApiConfig } from "./config.ts"

printFaults(readApiConfig)
