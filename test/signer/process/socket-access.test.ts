// Who may connect to the socket file of signer and fetcher: users of the host that are made for it here.
import { spawnSync } from "node:child_process"
import { chmodSync, chownSync, mkdirSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import t from "tap"
import { listen, newServer } from "../../../signer/process/transport.ts"
import { hasProgram, temporaryFolder } from "../../harness/release.ts"

const OWN_GROUP = 61_001
const OTHER_GROUP = 61_002
const CALLER = 61_003

const skip =
  process.getuid?.() === 0 && hasProgram("setpriv", "--version")
    ? false
    : "not run: needs root and setpriv, to connect as other users"

const CONNECT = `require("node:net").connect(process.argv[1]).on("connect", () => process.exit(0)).on("error", ({ code }) => {
  console.log(code)
  process.exit(1)
})`

/** How another user fares who belongs to these groups. */
function connectAs(groups: readonly number[], path: string): string {
  const words = [`--reuid=${CALLER}`, `--regid=${CALLER}`, `--groups=${groups.join(",")}`, "--inh-caps=-all"]
  const { status, stdout } = spawnSync("setpriv", [...words, process.execPath, "-e", CONNECT, path], {
    encoding: "utf8",
  })
  return status === 0 ? "connected" : stdout.trim()
}

t.test(
  "W88: a socket file is for its owner, or for the owner's group too, and for nobody else",
  { skip },
  async (t) => {
    const folder = temporaryFolder(t, "socket")
    chmodSync(folder, 0o755)
    for (const [access, inGroup, modes] of [
      ["owner", "EACCES", [0o700, 0o600]],
      ["group", "connected", [0o750, 0o660]],
    ] as const) {
      const path = join(folder, access, "signer.sock")
      // The folder that systemd makes for the unit, of the process's own group. Files made in it get that group here.
      mkdirSync(dirname(path))
      chownSync(dirname(path), 0, OWN_GROUP)
      const server = newServer()
      t.teardown(() => server.forceShutdown())
      await listen(server, { kind: "unix", path, access })
      chownSync(path, 0, OWN_GROUP)
      t.strictSame(
        [dirname(path), path].map((one) => statSync(one).mode & 0o777),
        modes,
      )
      t.equal(connectAs([OWN_GROUP], path), inGroup, `${access}: a member of the group`)
      t.equal(connectAs([OTHER_GROUP], path), "EACCES", `${access}: another user`)
    }
  },
)
