// Builds one zone of a checkout in a process of its own, whose user, time zone and umask a test chooses.
import { buildRelease } from "../../scripts/release/build.ts"
import { hasProgram, SMALL_NODE } from "../harness/release.ts"

const [root = "", out = "", zone = "", keyFile] = process.argv.slice(2)
// Images need the packages of Debian.
buildRelease({ root, out, zones: [zone], keyFile, images: hasProgram("dpkg-query"), node: SMALL_NODE })
