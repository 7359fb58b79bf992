// Says what is wrong with the signer's settings, and starts nothing: a JSON array of sentences on standard output.
import "../process/refuse-debugger.ts"
import { readAdmittedMembers } from "./admitted-members.ts"
import { readConfig } from "./config.ts"
import { faultsOf } from "../core/settings/settings.ts"

console.log(JSON.stringify(faultsOf(() => readConfig(process.env, readAdmittedMembers))))
