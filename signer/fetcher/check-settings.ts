// Says what is wrong with the fetcher's settings, and starts nothing: a JSON array of sentences on standard output.
import "../process/refuse-debugger.ts"
import { faultsOf } from "../core/settings/settings.ts"
import { readConfig } from "./config.ts"

console.log(JSON.stringify(faultsOf(() => readConfig(process.env))))
