// Every page of the dashboard, of the documentation and of the examples, and the built-in mails, in light and dark at three widths: axe-core finds
// nothing serious, nothing is wider than the window, and a picture of each is in test/screenshots for people to look at.
// npm run appearance, npm run appearance -- wallet docs
import type { Test } from "tap"
import { openDashboard } from "../harness/dashboard.ts"
import { freePort } from "../harness/free-port.ts"
import { dashboardPages } from "./dashboard-pages.ts"
import { documentationPages } from "./documentation-pages.ts"
import { examplePages } from "./example-pages.ts"
import { look } from "./look.ts"
import { mailPages } from "./mail-pages.ts"
import { sendPages, startSendChain } from "./send-pages.ts"

/** Beginnings of names; without one, all pages. */
const wanted = process.argv.slice(2)
const cleanups: (() => unknown)[] = []
const t = { teardown: (clean: () => unknown) => cleanups.unshift(clean) } as unknown as Test
const faults: string[] = []
try {
  const issuerPort = await freePort()
  const chain = await startSendChain(t)
  const settings = {
    COUNTERSIGN_FETCHER_LOCAL_ISSUERS: `http://localhost:${issuerPort}`,
    COUNTERSIGN_CHAINS: `eip155:${chain.chainId}=${chain.url}`,
  }
  const system = await openDashboard(t, settings)
  const pages = [
    ...(await dashboardPages(system)),
    ...(isWanted("send") ? await sendPages(system, chain) : []),
    ...(isWanted("docs") ? await documentationPages(system) : []),
    ...(isWanted("mail") ? await mailPages(system) : []),
    ...(isWanted("example") ? await examplePages(t, system, issuerPort) : []),
  ]
  for (const { name, open } of pages.filter(({ name }) => isWanted(name))) {
    const found = await look(await open(), name)
    console.log(`${name}: ${found.length === 0 ? "ok" : `${found.length} faults`}`)
    faults.push(...found)
  }
} finally {
  for (const clean of cleanups) await clean()
}
for (const fault of faults) console.log(fault)
process.exitCode = faults.length === 0 ? 0 : 1

/** Whether a page or a kind of pages was asked for. */
function isWanted(name: string): boolean {
  return wanted.length === 0 || wanted.some((word) => name.startsWith(word) || word.startsWith(`${name}-`))
}
