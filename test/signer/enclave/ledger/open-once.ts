/** Child process of create-ledger.test.ts: tries to open a ledger and prints the code of the refusal. */
import { codeOf, open } from "./harness.ts"

console.log(codeOf(() => open(process.argv[2] ?? "")))
