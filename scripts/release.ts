// Builds the files of a release from a clean commit and the installed packages: `npm run release -- --key FILE`. It needs no network.
// docs/formats/release.md says what each file holds.
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { buildDashboard } from "../services/dev/build-dashboard.ts"
import { buildRelease } from "./release/build.ts"
import { ROOT } from "./run.ts"

const { values } = parseArgs({
  options: {
    /** Private key of Ed25519 in PEM that signs the digests. Without it nothing is signed. */
    key: { type: "string" },
    /** Folder of the release, which is emptied first. */
    out: { type: "string", default: join(ROOT, "dist", "release") },
    /** Leaves the images out: they take C libraries of this host. */
    "no-images": { type: "boolean", default: false },
    /** Zones to build; by default all, and everything. */
    zone: { type: "string", multiple: true },
  },
})

try {
  await buildDashboard(console.log)
  for (const line of buildRelease({
    root: ROOT,
    out: resolve(values.out),
    zones: values.zone,
    keyFile: values.key,
    images: values["no-images"] ? false : undefined,
  }))
    console.log(line)
} catch (error) {
  console.error(`release: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
}
