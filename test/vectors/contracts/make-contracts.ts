// Compiles the contracts of this folder to JSON, which the tests deploy:
//
//     node test/vectors/contracts/make-contracts.ts
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { compileContracts } from "./compile.ts"

for (const [name, contract] of Object.entries(compileContracts()))
  writeFileSync(join(import.meta.dirname, `${name}.json`), `${JSON.stringify(contract, undefined, 2)}\n`)
