// Removes the C++ headers of the pinned Node after an installation: 67 MB that only the building of native add-ons reads,
// and none is built here. It is plain JavaScript, so that the Node of an installation can run it.
import { existsSync, readdirSync, rmSync } from "node:fs"
import { fileURLToPath } from "node:url"

const packages = new URL("../node_modules/node/node_modules/", import.meta.url)
const folders = existsSync(packages) ? readdirSync(packages) : []
for (const folder of folders) {
  if (!/^node-[a-z0-9]+-[a-z0-9]+$/.test(folder)) continue
  rmSync(fileURLToPath(new URL(`${folder}/include/`, packages)), { recursive: true, force: true })
}
