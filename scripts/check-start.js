// Runs before `npm start` and the other scripts: what would keep them from starting is said in one sentence. It is plain
// JavaScript without packages, so that every Node can run it and no installation is needed.
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

/** Options of `countersign dev` as npm takes them for its own: environment variable, option. */
const TAKEN = [
  ["npm_config_reset", "--reset"],
  ["npm_config_seed", "--no-seed"],
  ["npm_config_https", "--https"],
]

/** The first version that runs these programs as they are, without building them. */
const OLDEST = [22, 18]

const fault = takenOption() ?? missingPackages() ?? oldNode()
if (fault !== undefined) {
  console.error(`countersign: ${fault}`)
  process.exitCode = 2
}

function takenOption() {
  if (process.env.npm_lifecycle_event !== "start") return undefined
  const [, option] = TAKEN.find(([name]) => process.env[name] !== undefined) ?? []
  return option && `npm took ${option} for an option of its own: npm start -- ${option}`
}

function missingPackages() {
  const installed = existsSync(
    fileURLToPath(new URL("../node_modules/commander/package.json", import.meta.url)),
  )
  return installed ? undefined : "the packages are not installed; run: npm ci"
}

function oldNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
  const [oldest, least] = OLDEST
  if (major > oldest || (major === oldest && minor >= least)) return undefined
  return `Node ${process.versions.node} cannot run it, and the Node that npm ci installs is missing: run npm ci again`
}
