// Builds one zone of a checkout in a process of its own, whose user, time zone and umask a test chooses.
import { buildRelease } from "../../scripts/release/build.ts"
import { SMALL_NODE } from "../harness/release.ts"

const [root = "", out = "", zone = "", keyFile] = process.argv.slice(2)
buildRelease({ root, out, zones: [zone], keyFile, node: SMALL_NODE })
