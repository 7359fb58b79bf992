import { spawnSync } from "node:child_process"
import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { chromium } from "playwright-core"
import t from "tap"
import { NOT_ON_SITE, pageText } from "../../scripts/docs-site.ts"
import { summaryOf } from "../../scripts/generators/summary.ts"
import { overflow } from "../appearance/look.ts"
import { seriousFindings } from "../harness/dashboard.ts"
import { navigation } from "../../site/.vitepress/navigation.ts"
import { startApi } from "../services/api/start-api.ts"
import { linksOf, ROOT, textOf } from "./markdown.ts"
import { patienceMs } from "../harness/patience.ts"

const CHROMIUM = "/usr/bin/chromium"

/** Bounds a build on a busy machine. */
const BUILD_MS = patienceMs(480_000)
t.setTimeout(BUILD_MS)

t.test("the navigation leads to every document, and to no other", async (t) => {
  const pages = navigation.flatMap(({ items }) =>
    items.flatMap((item) => ("items" in item ? item.items : [item])),
  )
  const links = pages.map(({ link }) => link).filter((link) => link !== "/api")
  const names = globSync("docs/**/*.md", { cwd: ROOT }).map((path) => path.slice("docs/".length))
  const expected = names
    .filter((name) => !NOT_ON_SITE.includes(name))
    .map((name) => `/${name.replace(/(?:^index)?\.md$/, "")}`)
  t.strictSame(links.toSorted(), [...expected, "/start"].toSorted())
})

t.test("links of a document lead to pages of the site; those to the source code become words", async (t) => {
  const text =
    "[a](clients.md#pins-apply) [b](../README.md#start) [c](../signer/README.md) [d](api.md#x) [e](#f)"
  t.equal(
    pageText(text, "index.md"),
    '[a](/clients#pins-apply) [b](/start#start) c <a href="/docs/api" target="_self">d</a> [e](#f)',
  )
  t.equal(pageText("![a](docs/overview.svg)", "start.md"), "![a](overview.svg)")
  t.equal(pageText("![a](overview.svg)", "index.md"), "![a](overview.svg)")
  t.equal(pageText("[a](docs/api.md) [b](docs/clients.md)", "start.md").includes("[b](/clients)"), true)
  t.equal(
    pageText("[a](../policies.md) [b](stamp.md)", "formats/seal.md"),
    "[a](/policies) [b](/formats/stamp)",
  )
  const tag = pageText("a `<b>` c < d controls.<name> <!-- e -->", "index.md")
  t.equal(tag, "a `<b>` c &lt; d controls.&lt;name> <!-- e -->")
  t.equal(
    pageText("[a](signing.md) [b](../policies.md)", "choices/policies.md"),
    "---\nsearch: false\n---\n\n[a](/choices/signing) [b](/policies)",
    "the search leaves the choices out",
  )
  const block = "```text\n[a](../x.md)\n```"
  t.equal(pageText(block, "index.md"), block)
})

t.test("llms.txt names every page of the site but single choices and decisions", async (t) => {
  const text = textOf("docs/public/llms.txt")
  for (const path of globSync("docs/{*,formats/*,choices/README,adr/README}.md", { cwd: ROOT })) {
    const name = path.slice("docs/".length, -".md".length)
    if (name !== "index" && !NOT_ON_SITE.includes(`${name}.md`))
      t.ok(text.includes(`](/docs/${name}): `), name)
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

const isInstalled = existsSync(join(ROOT, "site", "node_modules", "vitepress"))
const skip =
  isInstalled && existsSync(CHROMIUM) ? false : "needs Chromium and the packages of site/: npm run build:docs"

t.test(
  "the built site is served at /docs, offline, under its content security policy",
  { skip, timeout: BUILD_MS },
  async (t) => {
    const built = spawnSync(process.execPath, ["scripts/build-docs.ts"], { cwd: ROOT, encoding: "utf8" })
    t.equal(built.status, 0, built.stderr)
    const { url, send } = await startApi(t)
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] })
    t.teardown(() => browser.close())
    const page = await browser.newPage()
    const faults: string[] = []
    page.on("console", (message) => {
      if (message.type() === "error") faults.push(`${message.text()} ${message.location().url}`)
    })
    page.on("request", (request) => {
      if (!request.url().startsWith(`${url}/docs`) && !request.url().startsWith("data:"))
        faults.push(request.url())
    })
    await page.goto(`${url}/docs`)
    t.match(await page.locator("h1").first().innerText(), /^Countersign/)
    await page.getByRole("link", { name: "Concepts" }).first().click()
    await page.waitForURL(/concepts/)
    await page.keyboard.press("Control+k")
    await page.locator("#localsearch-input").fill("root quorum")
    await page.locator("#localsearch-list a").first().waitFor()
    t.strictSame(await seriousFindings(page), [], "the box of search results")
    await page.keyboard.press("Escape")
    t.strictSame(faults, [])
    const [index = ""] = globSync("site/dist/assets/chunks/*localSearchIndex*.js", { cwd: ROOT })
    t.ok(textOf(index).includes("/docs/policies#"))
    t.notOk(textOf(index).includes("/docs/choices/"), "the search leaves the choices out")
    await page.getByRole("link", { name: "API reference" }).first().click()
    await page.waitForURL(/\/docs\/api$/)
    await page.locator("a[href='/docs/api/create_policy']").first().waitFor()
    await page.goto(`${url}/docs/quickstart`)
    t.strictSame(await seriousFindings(page), [], "a page with code, light and wide")
    await page.setViewportSize({ width: 390, height: 844 })
    await page.emulateMedia({ colorScheme: "dark" })
    t.strictSame([...(await seriousFindings(page)), ...(await overflow(page))], [], "dark and narrow")
    await page.goto(`${url}/docs/`)
    const { width = 0, height = 0 } = (await page.locator("main img").first().boundingBox()) ?? {}
    t.ok(height > width, "the picture of the first page is drawn for a narrow screen", { width, height })
    const pages = builtPages()
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
  },
)

t.test("the check of links finds anchors that are not there", async (t) => {
  t.strictSame(linksIn('<a class="x" href="/docs/a#b">', "/docs/c"), ["/docs/a#b"])
  t.strictSame(linksIn('<a href="#b"><a href="https://example.org">', "/docs/c"), ["/docs/c#b"])
  t.equal(isAnchorIn('<h2 id="b">', "b"), true)
  t.equal(isAnchorIn('<h2 id="bb">', "b"), false)
})

/** Pages of the build by their address. */
function builtPages(): Map<string, string> {
  const files = globSync("site/dist/**/*.html", { cwd: ROOT }).filter((file) => !file.endsWith("/404.html"))
  return new Map(
    files.map((file) => {
      const path = file.slice("site/dist".length).replace(/(?:index)?\.html$/, "")
      return [`/docs${path}`, readFileSync(join(ROOT, file), "utf8")]
    }),
  )
}

/** Links of a page to pages of the same host. */
function linksIn(text: string, path: string): string[] {
  return [...text.matchAll(/<a [^>]*?href="([^"]*)"/g)]
    .map(([, link = ""]) => (link.startsWith("#") ? `${path}${link}` : link))
    .filter((link) => link.startsWith("/"))
}

function isAnchorIn(page: string, anchor: string): boolean {
  return page.includes(` id="${decodeURIComponent(anchor)}"`)
}
