// The dashboard in a real browser, against a started development system.
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import axe from "axe-core"
import { type Browser, type BrowserContext, chromium, type Page, type Request } from "playwright-core"
import type { Test } from "tap"
import { dataDirectory, startDev } from "../services/cli/dev-process.ts"
import { devOrganization, linkIn } from "../services/cli/with-dev/shared-dev.ts"
import { findChromium, sharedBrowser } from "./chromium.ts"
import { isLong } from "./long.ts"
import { patienceMs } from "./patience.ts"

/** Only ends waits that would never end: the machine may be busy. */
const PATIENCE_MS = patienceMs(60_000)

const SCREENSHOTS = join(import.meta.dirname, "..", "screenshots")

export type DashboardSystem = {
  /** Data directory of the system: process ids and logs. */
  system: string
  /** Directory of the organization's keys, pins and `.env.local`. */
  directory: string
  link: string
  /** Base URL of the dashboard. */
  url: string
  context: BrowserContext
  page: Page
  browser: Browser
  /** Faults of scripts and of the content security policy that any page reported. */
  complaints: string[]
  /** Origins that its pages sent requests to. */
  origins: Set<string>
}

/**
 * The browser, logged in by a link as root of an organization of the shared development system. `settings`: of a development
 * system of its own, whose first organization it is.
 */
export async function openDashboard(t: Test, settings?: NodeJS.ProcessEnv): Promise<DashboardSystem> {
  const { system, directory, link } = await (settings ? ownOrganization(t, settings) : sharedOrganization(t))
  const browser = await chromium.connectOverCDP(await sharedBrowser(findChromium() ?? ""))
  t.teardown(() => browser.close())
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    reducedMotion: "reduce",
  })
  const page = await context.newPage()
  page.setDefaultTimeout(PATIENCE_MS)
  const complaints: string[] = []
  const origins = new Set<string>()
  const note = (request: Request) =>
    /^https?:/.test(request.url()) && origins.add(new URL(request.url()).origin)
  page.on("requestfinished", note)
  // A request that the content security policy blocked was never sent.
  page.on("requestfailed", (request) => request.failure()?.errorText !== "csp" && note(request))
  page.on("pageerror", (error) => complaints.push(error.message))
  page.on("console", (message) => {
    if (message.type() === "error" && !/status of 4\d\d|net::ERR_FAILED/.test(message.text()))
      complaints.push(message.text())
  })
  await page.goto(link)
  await page.getByRole("navigation", { name: "Pages" }).waitFor()
  return { system, directory, link, url: new URL(link).origin, browser, context, page, complaints, origins }
}

async function sharedOrganization(t: Test) {
  const { system, directory, link } = await devOrganization(t)
  return { system, directory, link: await link() }
}

async function ownOrganization(t: Test, settings: NodeJS.ProcessEnv) {
  const directory = dataDirectory(t)
  const lines = await startDev(t, directory, [], settings).ready()
  return { system: directory, directory, link: linkIn(lines) }
}

/** Findings of axe-core on the open page that are serious or worse: rule, and the first element. */
export async function seriousFindings(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const found = await page.evaluate(async () => {
    const { violations } = await (
      globalThis as unknown as {
        axe: { run(options: object): Promise<{ violations: Violation[] }> }
      }
    ).axe.run({ resultTypes: ["violations"] })
    return violations.map(({ id, impact, nodes }) => ({
      id,
      impact,
      where: nodes.map(({ html }) => html.slice(0, 160)),
    }))
    type Violation = { id: string; impact: string; nodes: { html: string }[] }
  })
  return found
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, where }) => `${id}: ${where.join(" | ")}`)
}

/**
 * Pictures of the whole open page at three widths, light, and dark at the widest: for people, so in the long form only.
 */
export async function picture(page: Page, name: string): Promise<void> {
  if (!isLong) return
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: width === 390 ? 844 : 900 })
    await pictureTo(page, `${name}-${width}`)
  }
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.emulateMedia({ colorScheme: "dark" })
  await pictureTo(page, `${name}-dark`)
  await page.emulateMedia({ colorScheme: null })
}

const WIDTHS = [1440, 1024, 390] as const

/** The end of a longer picture is of no use, and drawing it takes minutes. */
const TALLEST_PX = 6000

/** A picture of the whole open page, or of the window if a dialog is open, in a folder that git ignores. */
export async function pictureTo(page: Page, name: string): Promise<void> {
  mkdirSync(SCREENSHOTS, { recursive: true })
  // A tab behind another draws nothing: its picture would wait half a minute.
  await page.bringToFront()
  const fullPage = (await page.locator("dialog[open]").count()) === 0
  const { width = 0, height: ofWindow = 0 } = page.viewportSize() ?? {}
  const ofPage = await page.evaluate(() => document.documentElement.scrollHeight)
  const height = fullPage ? Math.min(Math.max(ofPage, ofWindow), TALLEST_PX) : ofWindow
  await page.screenshot({
    path: join(SCREENSHOTS, `${name}.png`),
    fullPage,
    clip: { x: 0, y: 0, width, height },
    timeout: PATIENCE_MS,
  })
}
