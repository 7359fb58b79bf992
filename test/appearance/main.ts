// Every page of the dashboard, of the documentation and of the examples, and the built-in mails, in light and dark at three widths: axe-core finds
// nothing serious, nothing is wider than the window, and a picture of each is in test/screenshots for people to look at.
// npm run appearance, npm run appearance -- wallet docs
import type { Test } from "tap"
import { openDashboard } from "../harness/dashboard.ts"
import { freePort } from "../harness/free-port.ts"
import { dashboardPages } from "./dashboard-pages.ts"
import { documentationPages } from "./documentation-pages.ts"
import { examplePages } from "./example-pages.ts"
import { look, type Shown } from "./look.ts"
import { mailPages } from "./mail-pages.ts"
import { sendPages, startSendChain } from "./send-pages.ts"

/** Beginnings of names; without one, all pages. */
const wanted = process.argv.slice(2)
const cleanups: (() => unknown)[] = []
const t = { teardown: (clean: () => unknown) => cleanups.unshift(clean) } as unknown as Test
let faultCount = 0
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void end().then(() => process.exit(1)))
await printed("the system", async () => {
  for (const shown of await allPages()) if (isWanted(shown.name)) await lookAt(shown)
})
await end()
process.exitCode = faultCount === 0 ? 0 : 1

/** Ends what was started. */
async function end(): Promise<void> {
  for (const clean of cleanups.splice(0)) await printed("its end", async () => void (await clean()))
}

async function allPages(): Promise<Shown[]> {
  const issuerPort = await freePort()
  const chain = await startSendChain(t)
  const settings = {
    COUNTERSIGN_FETCHER_LOCAL_ISSUERS: `http://localhost:${issuerPort}`,
    COUNTERSIGN_CHAINS: `eip155:${chain.chainId}=${chain.url}`,
  }
  const system = await openDashboard(t, settings)
  return [
    ...(await dashboardPages(system)),
    ...(isWanted("send") ? await sendPages(system, chain) : []),
    ...(isWanted("docs") ? await documentationPages(system) : []),
    ...(isWanted("mail") ? await mailPages(system) : []),
    ...(isWanted("example") ? await examplePages(t, system, issuerPort) : []),
  ]
}

async function lookAt({ name, open, widths }: Shown): Promise<void> {
  await printed(name, async () => {
    const found = await look(await open(), name, widths)
    faultCount += found.length
    console.log([`${name}: ${found.length === 0 ? "ok" : `${found.length} faults`}`, ...found].join("\n"))
  })
}

/** Prints a failure at once, so that no later wait hides it. */
async function printed(what: string, act: () => Promise<void>): Promise<void> {
  try {
    await act()
  } catch (error) {
    faultCount += 1
    console.log(`${what}: failed. ${error instanceof Error ? error.stack : String(error)}`)
  }
}

/** Whether a page or a kind of pages was asked for. */
function isWanted(name: string): boolean {
  return wanted.length === 0 || wanted.some((word) => name.startsWith(word) || word.startsWith(`${name}-`))
}
