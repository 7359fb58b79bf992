// Writes the commands of this package into node_modules/.bin after an installation, where npx finds them. As `bin` of
// package.json npx would change their modes at every call, which a user who cannot write the checkout may not. It is plain
// JavaScript, so that the Node of an installation can run it.
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const COMMANDS = {
  countersign: "services/cli/main.ts",
  "countersign-fetcher": "signer/fetcher/main.ts",
  "countersign-node": "services/node/main.ts",
  "countersign-signer": "signer/operator/main.ts",
  "countersign-witness": "signer/witness/main.ts",
}

/**
 * A command runs with the Node that is installed beside it, whatever Node the host has, and keeps its modules' compiled code from
 * start to start (services/dev/compile-cache.ts): compiling takes longer than most commands.
 */
const scriptOf = (file) => `#!/bin/sh
bin=$(dirname "$(readlink -f "$0")")
node="$bin/node"
[ -x "$node" ] || node=node
: "\${NODE_COMPILE_CACHE=$bin/../.cache/countersign}"
export NODE_COMPILE_CACHE
exec "$node" --disable-sigusr1 "$bin/../../${file}" "$@"
`

const folder = fileURLToPath(new URL("../node_modules/.bin/", import.meta.url))
mkdirSync(folder, { recursive: true })
for (const [name, file] of Object.entries(COMMANDS)) {
  // Removed first: an earlier installation has a link to the program itself here.
  rmSync(folder + name, { force: true })
  writeFileSync(folder + name, scriptOf(file), { mode: 0o755 })
}
