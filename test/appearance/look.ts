// How a page looks: every theme at every width, checked by axe-core and for overflow, and pictured for people.
import type { Page } from "playwright-core"
import { pictureTo, seriousFindings } from "../harness/dashboard.ts"

/** A page by the name of its pictures. `widths`: the widths at which it has this look; absent: all. */
export type Shown = { name: string; open: () => Promise<Page>; widths?: readonly number[] }

const WIDTHS = [1440, 1024, 390] as const
const THEMES = ["light", "dark"] as const

/** Faults of the open page in every theme at every width. Pictures go into test/screenshots, which git ignores. */
export async function look(page: Page, name: string, widths: readonly number[] = WIDTHS): Promise<string[]> {
  const faults: string[] = []
  for (const theme of THEMES) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" })
    for (const width of widths) {
      await page.setViewportSize({ width, height: width === 390 ? 844 : 900 })
      const findings = [...(await seriousFindings(page)), ...(await overflow(page))]
      faults.push(...findings.map((finding) => `${name}, ${theme}, ${width}: ${finding}`))
      await pictureTo(page, `${name}-${theme}-${width}`)
    }
  }
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" })
  await page.setViewportSize({ width: 1440, height: 900 })
  return faults
}

/** Elements that make the page wider than its window: a phone would scroll sideways. */
export async function overflow(page: Page): Promise<string[]> {
  const wide = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    if (scrollWidth <= clientWidth) return []
    const beyond = [...document.body.querySelectorAll("*")].filter(
      (element) => element.getBoundingClientRect().right > clientWidth + 1,
    )
    return beyond.slice(0, 3).map((element) => element.outerHTML.slice(0, 120))
  })
  return wide.map((html) => `wider than the window: ${html}`)
}
