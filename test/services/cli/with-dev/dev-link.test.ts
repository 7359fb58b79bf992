import t from "tap"
import { commandLine } from "../command-line.ts"
import { readEnvFile } from "../dev-process.ts"
import { sharedDev } from "./shared-dev.ts"

t.test(
  "dev link prints a new link to the dashboard of the running system, and to no other program",
  async (t) => {
    const { directory, dashboardUrl } = await sharedDev()
    const { BASE_URL: apiUrl = "" } = readEnvFile(directory)
    const hostOf = (url: string) => new URL(url).host
    const at = (dashboard: string) => ({
      COUNTERSIGN_DATA_DIR: directory,
      COUNTERSIGN_API_LISTEN: hostOf(apiUrl),
      COUNTERSIGN_DASHBOARD_LISTEN: hostOf(dashboard),
    })
    const links = [
      await commandLine(at(dashboardUrl), "dev", "link"),
      await commandLine(at(dashboardUrl), "dev", "link"),
    ]
    for (const { status, out } of links) {
      t.equal(status, 0)
      t.ok(out.startsWith(`${dashboardUrl}/enter#`), out)
      t.match(out, /#[\w-]{64} {4}one use, 30 min$/)
    }
    t.not(links[0]?.out, links[1]?.out)
    // The API answers there, and is no dashboard.
    t.match(await commandLine(at(apiUrl), "dev", "link"), {
      status: 5,
      out: "",
      log: /no dashboard of http\S+ answers at http\S+: start the system with npx countersign dev/,
    })
  },
)
