// Links the commands of this package into node_modules/.bin after an installation, where npx finds them. As `bin` of
// package.json npx would change their modes at every call, which a user who cannot write the checkout may not. It is plain
// JavaScript, so that the Node of an installation can run it.
import { mkdirSync, rmSync, symlinkSync } from "node:fs"
import { fileURLToPath } from "node:url"

const COMMANDS = {
  countersign: "services/cli/main.ts",
  "countersign-fetcher": "signer/fetcher/main.ts",
  "countersign-node": "services/node/main.ts",
  "countersign-signer": "signer/operator/main.ts",
  "countersign-witness": "signer/witness/main.ts",
}

const folder = fileURLToPath(new URL("../node_modules/.bin/", import.meta.url))
mkdirSync(folder, { recursive: true })
for (const [name, file] of Object.entries(COMMANDS)) {
  rmSync(folder + name, { force: true })
  symlinkSync(`../../${file}`, folder + name)
}
