import { sameData, show } from "../here.ts"
import type { Settings } from "../settings.ts"

/** The last resort, named as what it is: only ever behind what brings everything back. */
export function startAnew(settings: Settings): string {
  return (
    "Only where there is no copy, and nothing in it matters: what destroys the organization, its wallets and all " +
    `else in ${show(settings.dataDirectory)} is ${sameData(settings)}npx countersign dev --reset`
  )
}
