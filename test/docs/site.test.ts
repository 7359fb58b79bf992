import { spawnSync } from "node:child_process"
import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { chromium } from "playwright-core"
import t from "tap"
import { NOT_ON_SITE, pageText } from "../../scripts/docs-site.ts"
import { navigation } from "../../site/.vitepress/navigation.ts"
import { startApi } from "../services/api/start-api.ts"
import { ROOT, textOf } from "./markdown.ts"

const CHROMIUM = "/usr/bin/chromium"

/** Bounds a build on a busy machine. */
const BUILD_MS = 240_000
t.setTimeout(BUILD_MS)

t.test("the navigation leads to every document, and to no other", async (t) => {
  const links = navigation.flatMap(({ items }) => items.map(({ link }) => link))
  const names = globSync("docs/*.md", { cwd: ROOT }).map((path) => path.slice("docs/".length))
  const expected = names
    .filter((name) => !NOT_ON_SITE.includes(name))
    .map((name) => `/${name.replace(/(?:^index)?\.md$/, "")}`)
  t.strictSame(new Set(links), new Set([...expected, "/start", "/adr/README"]))
})

t.test("links of a document lead to pages of the site; those to the source code become words", async (t) => {
  const text =
    "[a](clients.md#pins-apply) [b](../README.md#start) [c](../signer/README.md) [d](api.md#x) [e](#f)"
  t.equal(
    pageText(text, "index.md"),
    '[a](/clients#pins-apply) [b](/start#start) c <a href="/docs/api" target="_self">d</a> [e](#f)',
  )
  t.equal(pageText("[a](docs/api.md) [b](docs/clients.md)", "start.md").includes("[b](/clients)"), true)
  t.equal(
    pageText("[a](../policies.md) [b](stamp.md)", "formats/seal.md"),
    "[a](/policies) [b](/formats/stamp)",
  )
  const block = "```text\n[a](../x.md)\n```"
  t.equal(pageText(block, "index.md"), block)
})

t.test("llms.txt names every page of the site", async (t) => {
  const text = textOf("docs/public/llms.txt")
  for (const path of globSync("docs/*.md", { cwd: ROOT })) {
    const name = path.slice("docs/".length, -".md".length)
    if (name !== "index" && !NOT_ON_SITE.includes(`${name}.md`))
      t.ok(text.includes(`](/docs/${name}): `), name)
  }
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
    t.strictSame(faults, [])
    for (const file of globSync("site/dist/**/*.html", { cwd: ROOT })) {
      const text = readFileSync(join(ROOT, file), "utf8")
      for (const [, link = ""] of text.matchAll(/<a [^>]*?href="(\/docs[^"#]*)/g)) {
        const { status } = await send(link, { headers: { accept: "text/html" } })
        if (status !== 200 && status !== 302) t.fail(`${file}: ${link} is ${status}`)
      }
    }
  },
)
