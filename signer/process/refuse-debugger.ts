// The first import of every program of the signer: Node opens a debugger when it receives SIGUSR1, and any user of the host
// can connect to its port. A listener takes the signal from Node. Until this line runs, `--disable-sigusr1` blocks it. Other
// dangerous ways of a start are refused (process-start.ts).
// Written twice, here and in `services/common/refuse-debugger.ts`, for the reason given in `exit-with-parent.ts`.
import { faultOfStart, REFUSED_START_STATUS } from "../core/settings/process-start.ts"

process.on("SIGUSR1", () => undefined)

const fault = faultOfStart({
  options: process.execArgv,
  nodeOptions: process.env["NODE_OPTIONS"] ?? "",
  tlsRejectUnauthorized: process.env["NODE_TLS_REJECT_UNAUTHORIZED"],
  // A Node that was built without inspector has no such module.
  inspectorUrl: process.features.inspector ? process.getBuiltinModule("node:inspector").url() : undefined,
})
if (fault !== undefined) {
  process.stderr.write(`${fault}\n`)
  process.exit(REFUSED_START_STATUS)
}
