/** Child process of birth.test.ts: tries to open a ledger, prints what it was refused with. */
import { codeOf, open } from "./harness.ts"

console.log(codeOf(() => open(process.argv[2] ?? "")))
