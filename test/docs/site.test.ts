import { existsSync, globSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import MiniSearch from "minisearch"
import { chromium } from "playwright-core"
import t, { type Test } from "tap"
import { guidePages } from "../../services/api/guides/guide-pages.ts"
import { openGuides } from "../../services/api/guides/guides.ts"
import { navigation } from "../../services/api/guides/navigation.ts"
import { summaryOf } from "../../scripts/generators/summary.ts"
import { overflow } from "../appearance/look.ts"
import { seriousFindings } from "../harness/dashboard.ts"
import { startApi } from "../services/api/start-api.ts"
import { linksOf, ROOT, textOf } from "./markdown.ts"

const CHROMIUM = "/usr/bin/chromium"

/** Two lists for developers, of which the navigation is one, and the reference that the API writes itself. */
const NO_PAGE: readonly string[] = ["MUTATION.md", "README.md", "api.md"]

type Send = Awaited<ReturnType<typeof startApi>>["send"]

t.test("the navigation leads to every document, and to no other", async (t) => {
  const pages = navigation.flatMap(({ items }) =>
    items.flatMap((item) => ("items" in item ? item.items : [item])),
  )
  const links = pages.map(({ link }) => link).filter((link) => link !== "/api")
  const names = globSync("docs/**/*.md", { cwd: ROOT }).map((path) => path.slice("docs/".length))
  const expected = names
    .filter((name) => !NO_PAGE.includes(name))
    .map((name) => `/${name.replace(/(?:^index)?\.md$/, "")}`)
  t.strictSame(links.toSorted(), [...expected, "/start"].toSorted())
})

t.test("llms.txt names every page of the site but single choices and decisions", async (t) => {
  const text = textOf("docs/public/llms.txt")
  for (const path of globSync("docs/{*,formats/*,choices/README,adr/README}.md", { cwd: ROOT })) {
    const name = path.slice("docs/".length, -".md".length)
    if (name !== "index" && !NO_PAGE.includes(`${name}.md`)) t.ok(text.includes(`](/docs/${name}): `), name)
  }
})

t.test("docs/README lists every document by reader, and the first page has the same groups", async (t) => {
  const groups = navigation.map(({ text }) => text)
  const headings = (file: string) => [...textOf(file).matchAll(/^## (.+)$/gm)].map(([, title]) => title)
  t.strictSame(headings("docs/README.md"), groups)
  t.strictSame(headings("docs/index.md"), groups)
  const listed = new Set(linksOf("docs/README.md").map(({ path }) => path))
  const expected = globSync("docs/{*,formats/*,choices/README,adr/README}.md", { cwd: ROOT })
  t.strictSame(
    expected.filter((path) => path !== "docs/README.md" && !listed.has(path)),
    [],
  )
  // A page stands on the first page under the heading that it has in the navigation.
  for (const { text, items } of navigation) {
    const [, part = ""] = textOf("docs/index.md").split(`## ${text}\n`)
    const [section = ""] = part.split("\n## ")
    const own = new Set(items.map(({ link }) => link))
    for (const [, page] of section.matchAll(/\]\(([\w/-]+)\.md(?:#[^)]*)?\)/g))
      t.ok(own.has(`/${page}`), `${page} under ${text}`)
  }
})

t.test("the first paragraph of each document says whom it is for", async (t) => {
  const silent = globSync("docs/*.md", { cwd: ROOT }).filter(
    (path) => !/\b(?:This page|It) is for [a-z]/.test(summaryOf(path).summary),
  )
  t.strictSame(silent, [])
})

/** The search as the browser runs it. */
type Ranking = {
  indexOf(library: typeof MiniSearch, sections: readonly object[]): object
  searched(index: object, text: string): { id: string; title: string; excerpt: string }[]
}

t.test(
  "the search finds guides before references, beginnings of words, and words with a wrong letter",
  async (t) => {
    const file = join(ROOT, "services/api/guides/browser/ranking.js")
    const { indexOf, searched } = (await import(pathToFileURL(file).href)) as Ranking
    const index = indexOf(MiniSearch, JSON.parse(await openGuides().searchIndex()) as object[])
    const first = (text: string) => searched(index, text)[0]?.id ?? ""
    for (const [text, page] of [
      ["quickstart", "/docs/quickstart"],
      ["approve", /^\/docs\/(?:quickstart|tutorials|dashboard|concepts|policies)/],
      ["root quorum", /^\/docs\/(?:concepts|policies)/],
      ["passkey", /^\/docs\/(?:tutorials|concepts|quickstart|coming)/],
      ["backup", /^\/docs\/(?:OPERATIONS|RUNBOOKS|self-hosting)/],
      ["webhoks", /^\/docs\/webhooks/],
      ["cookb", /^\/docs\/policies-cookbook/],
      ["STAMP_INVALID", /^\/docs\/ERRORS/],
    ] as const)
      t.match(first(text), page, text)
    t.strictSame(searched(index, "zzqx"), [])
    t.match(searched(index, "root quorum")[0]?.excerpt, /root|quorum/i)
  },
)

const skip = existsSync(CHROMIUM) ? false : "needs Chromium"

t.test(
  "the guides are served at /docs, offline, under their content security policy",
  { skip },
  async (t) => {
    const { url, send } = await startApi(t)
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] })
    t.teardown(() => browser.close())
    const context = await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] })
    const page = await context.newPage()
    const faults: string[] = []
    page.on("console", (message) => {
      if (message.type() === "error") faults.push(`${message.text()} ${message.location().url}`)
    })
    page.on("pageerror", (error) => faults.push(error.message))
    page.on("request", (request) => {
      if (!request.url().startsWith(`${url}/docs`)) faults.push(request.url())
    })
    await page.goto(`${url}/docs`)
    t.match(await page.locator("h1").first().innerText(), /^Countersign/)
    await page.getByRole("link", { name: "Concepts" }).first().click()
    await page.waitForURL(/concepts/)
    t.equal(await page.locator(".pages [aria-current=page]").innerText(), "Concepts")
    await page.keyboard.press("Control+k")
    await page.getByRole("searchbox").fill("root quorum")
    await page.locator(".found a").first().waitFor()
    t.strictSame(await seriousFindings(page), [], "the box of search results")
    await page.keyboard.press("Enter")
    await page.waitForURL(/#/)
    t.equal(await page.locator("dialog[open]").count(), 0, "the box closes, also within the same page")
    await page.getByRole("link", { name: "API reference" }).first().click()
    await page.waitForURL(/\/docs\/api$/)
    await page.locator("a[href='/docs/api/create_policy']").first().waitFor()
    await page.goto(`${url}/docs/quickstart`)
    t.strictSame(await seriousFindings(page), [], "a page with code, light and wide")
    const block = page.locator(".code").first()
    await block.hover()
    await block.getByRole("button", { name: "Copy" }).click()
    await block.getByRole("button", { name: "Copied" }).waitFor()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    t.equal(copied, await block.locator("code").innerText())
    await page.getByRole("button", { name: "Dark" }).click()
    await page.reload()
    t.equal(await page.locator("html").getAttribute("data-theme"), "dark", "the choice of colours is kept")
    await page.setViewportSize({ width: 390, height: 844 })
    await page.reload()
    t.strictSame([...(await seriousFindings(page)), ...(await overflow(page))], [], "dark and narrow")
    t.equal(await page.locator("details.pages[open]").count(), 0, "the list of pages is folded")
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.locator("details.pages[open]").getByRole("link", { name: "Tutorials" }).waitFor()
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(`${url}/docs/`)
    const { width = 0, height = 0 } = (await page.locator("main img").first().boundingBox()) ?? {}
    t.ok(height > width, "the picture of the first page is drawn for a narrow screen", { width, height })
    t.strictSame(faults, [])
    await requireWholeLinks(t, send)
  },
)

/** Every link of every page leads to a page, and every anchor to a heading. */
async function requireWholeLinks(t: Test, send: Send): Promise<void> {
  const guides = openGuides()
  const pages = new Map<string, string>()
  for (const { address } of guidePages) pages.set(address, (await guides.page(address)) ?? "")
  t.ok(pages.size > 60)
  const statuses = new Map<string, number>()
  for (const [path, text] of pages) {
    for (const link of linksIn(text, path)) {
      const [target = "", anchor = ""] = link.split("#")
      const page = pages.get(target)
      if (page === undefined && !statuses.has(target))
        statuses.set(target, (await send(target, { headers: { accept: "text/html, */*;q=0.1" } })).status)
      const status = statuses.get(target) ?? 200
      if (status !== 200) t.fail(`${path}: ${link} is ${status}`)
      else if (anchor !== "" && !isAnchorIn(page ?? "", anchor)) t.fail(`${path}: no anchor ${link}`)
    }
  }
}

t.test("the check of links finds anchors that are not there", async (t) => {
  t.strictSame(linksIn('<a class="x" href="/docs/a#b">', "/docs/c"), ["/docs/a#b"])
  t.strictSame(linksIn('<a href="#b"><a href="https://example.org">', "/docs/c"), ["/docs/c#b"])
  t.equal(isAnchorIn('<h2 id="b">', "b"), true)
  t.equal(isAnchorIn('<h2 id="bb">', "b"), false)
})

/** Links of a page to pages of the same host. */
function linksIn(text: string, path: string): string[] {
  return [...text.matchAll(/<a [^>]*?href="([^"]*)"/g)]
    .map(([, link = ""]) => (link.startsWith("#") ? `${path}${link}` : link))
    .filter((link) => link.startsWith("/"))
}

function isAnchorIn(page: string, anchor: string): boolean {
  return page.includes(` id="${decodeURIComponent(anchor)}"`)
}
