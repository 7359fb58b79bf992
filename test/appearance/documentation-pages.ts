// The main pages of the documentation site, and of the references that the hosts serve themselves.
import type { Page } from "playwright-core"
import type { DashboardSystem } from "../harness/dashboard.ts"
import { readEnvFile } from "../services/cli/dev-process.ts"
import type { Shown } from "./look.ts"

const SITE = {
  "docs-first": "/docs/",
  "docs-start": "/docs/start",
  "docs-quickstart": "/docs/quickstart",
  "docs-concepts": "/docs/concepts",
  "docs-policies": "/docs/policies",
  "docs-self-hosting": "/docs/self-hosting",
  "docs-errors-table": "/docs/ERRORS",
  "docs-threat-model": "/docs/THREAT_MODEL",
  "docs-choices": "/docs/choices/README",
}

const REFERENCE = {
  "docs-api": "/docs/api",
  "docs-operation": "/docs/api/create_policy",
  "docs-errors": "/docs/errors",
  "docs-error": "/docs/errors/STAMP_INVALID",
}

export async function documentationPages({ context, directory }: DashboardSystem): Promise<Shown[]> {
  const page = await context.newPage()
  const env = readEnvFile(directory)
  const [api = "", proxy = ""] = [env["BASE_URL"], env["AUTH_PROXY_URL"]]
  return [
    ...shown(page, api, SITE),
    searchOf(page, api),
    ...shown(page, api, REFERENCE),
    ...shown(page, proxy, { "docs-proxy": "/docs/api" }),
  ]
}

function shown(page: Page, host: string, paths: { readonly [name: string]: string }): Shown[] {
  return Object.entries(paths).map(([name, path]) => ({
    name,
    open: async () => {
      const reply = await page.goto(host + path, { waitUntil: "networkidle" })
      if (reply?.status() !== 200) throw new Error(`${host}${path} answered ${reply?.status()}`)
      return page
    },
  }))
}

const searchOf = (page: Page, host: string): Shown => ({
  name: "docs-search",
  open: async () => {
    await page.goto(`${host}/docs/concepts`, { waitUntil: "networkidle" })
    await page.keyboard.press("Control+k")
    await page.getByRole("searchbox").fill("root quorum")
    await page.locator(".found a").first().waitFor()
    return page
  },
})
