import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import type { CDPSession, Page, Request } from "playwright-core"
import { watchInterruption } from "../interruption.ts"
import { describeMachine, type Machine } from "../machine.ts"
import { answerLargeLists } from "./large-lists.ts"
import { startBrowser, startDeployment } from "./system.ts"

export type DashboardPlan = { rounds: number; pages: readonly string[] }

/** The pages by their paths; the first one is what a login shows. */
const PAGES = [
  "/",
  "/approvals",
  "/activity",
  "/wallets",
  "/people",
  "/policies",
  "/policies/new",
  "/organizations",
  "/login",
  "/webhooks",
  "/settings",
  "/console",
  "/system",
] as const

export const FULL_PLAN: DashboardPlan = { rounds: 7, pages: PAGES }
export const SHORT_PLAN: DashboardPlan = { rounds: 1, pages: ["/", "/people"] }

/** Times in milliseconds from the navigation until the page shows its data and takes input. */
type PageFigures = {
  path: string
  /** With an empty cache. */
  coldMs: number[]
  warmMs: number[]
  /** Scripts and styles, compressed by gzip. */
  scriptBytes: number
  styleBytes: number
}

type ListFigures = {
  /** 100,000 activities: the first page of the list, and turning to the next one. */
  activitiesMs: number[]
  nextPageMs: number[]
  /** 10,000 users: the first page of the list, and a search to its result. */
  usersMs: number[]
  searchMs: number[]
}

export type DashboardRun = { machine: Machine; pages: PageFigures[]; lists: ListFigures }

export async function measureDashboard(
  plan: DashboardPlan,
  say: (line: string) => void,
): Promise<DashboardRun> {
  const directory = await mkdtemp(join(tmpdir(), "cs-bench-"))
  const interruption = watchInterruption()
  const stops: (() => unknown)[] = [() => rm(directory, { recursive: true, force: true })]
  try {
    say("starts the service and a browser")
    const deployment = await startDeployment(join(directory, "data"))
    stops.push(() => deployment.stop())
    const browser = await startBrowser()
    stops.push(() => browser.close())
    const context = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      reducedMotion: "reduce",
    })
    const page = await context.newPage()
    await page.goto(deployment.link)
    await page.getByRole("navigation", { name: "Pages" }).waitFor()
    const url = new URL(deployment.link).origin
    const session = await context.newCDPSession(page)
    const pages: PageFigures[] = []
    for (const path of plan.pages) {
      interruption.check()
      say(path)
      pages.push(await measurePage(page, session, url + path, plan.rounds))
    }
    say("large lists")
    await answerLargeLists(context)
    const lists = await measureLists(page, url, plan.rounds)
    return { machine: describeMachine(directory), pages, lists }
  } finally {
    interruption.end()
    for (const stop of stops.toReversed()) await stop()
  }
}

async function measurePage(
  page: Page,
  session: CDPSession,
  address: string,
  rounds: number,
): Promise<PageFigures> {
  const files = new Set<string>()
  const note = (request: Request) => files.add(request.url())
  page.on("request", note)
  const [coldMs, warmMs]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    await session.send("Network.clearBrowserCache")
    coldMs.push(await open(page, address))
    await page.waitForLoadState("networkidle")
    warmMs.push(await open(page, address))
    await page.waitForLoadState("networkidle")
  }
  page.off("request", note)
  const sizeOf = async (ending: string) => {
    const wanted = [...files].filter((file) => new URL(file).pathname.endsWith(ending))
    const sizes = await Promise.all(wanted.map(compressedSize))
    return sizes.reduce((sum, size) => sum + size, 0)
  }
  const path = new URL(address).pathname
  return { path, coldMs, warmMs, scriptBytes: await sizeOf(".js"), styleBytes: await sizeOf(".css") }
}

async function compressedSize(address: string): Promise<number> {
  const reply = await fetch(address)
  return gzipSync(await reply.arrayBuffer()).length
}

/** Opens a page anew. Returns the milliseconds until no part of it waits for data. */
async function open(page: Page, address: string): Promise<number> {
  await page.goto(address, { waitUntil: "commit" })
  return untilUsable(page)
}

async function untilUsable(page: Page): Promise<number> {
  const since = await page.waitForFunction(() => {
    const isThere = document.querySelector("#main h1") !== null
    const waits = document.querySelector("#main :is(.skeleton, [aria-busy='true'])") !== null
    return isThere && !waits && performance.now()
  })
  return (await since.jsonValue()) as number
}

async function measureLists(page: Page, url: string, rounds: number): Promise<ListFigures> {
  const figures: ListFigures = { activitiesMs: [], nextPageMs: [], usersMs: [], searchMs: [] }
  for (let round = 0; round < rounds; round++) {
    figures.activitiesMs.push(await open(page, `${url}/activity`))
    figures.nextPageMs.push(
      await timed(page, () => page.getByRole("button", { name: "Older" }).click(), 'wallet 25"'),
    )
    figures.usersMs.push(await open(page, `${url}/people`))
    figures.searchMs.push(
      await timed(page, () => page.locator("#main input").first().fill("person 9999"), "person 9999"),
    )
  }
  return figures
}

/** Milliseconds from an act until the first row has this text. */
async function timed(page: Page, act: () => Promise<void>, text: string): Promise<number> {
  const from = await page.evaluate(() => performance.now())
  await act()
  const until = await page.waitForFunction((wanted) => {
    const row = [...document.querySelectorAll("#main tbody tr:first-child")].find((one) =>
      one.textContent.includes(wanted),
    )
    return row !== undefined && performance.now()
  }, text)
  return ((await until.jsonValue()) as number) - from
}
