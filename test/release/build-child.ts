// Builds the shared release of a checkout in a process of its own, whose user, time zone and umask a test chooses.
import { buildRelease } from "../../scripts/release/build.ts"
import { canBuildImages, SHARED_ZONES, SMALL_NODE } from "../harness/release.ts"

const [root = "", out = "", keyFile] = process.argv.slice(2)
buildRelease({ root, out, zones: SHARED_ZONES, keyFile, images: canBuildImages(), node: SMALL_NODE })
