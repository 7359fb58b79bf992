import { dataDirectoryPrefix, displayPath } from "../terminal-client/display.ts"
import type { Settings } from "../terminal-client/settings.ts"

/** The last resort, printed only after the remedy that restores the data. */
export function resetAdvice(settings: Settings): string {
  return (
    "If there is no copy and you need none of the data, delete the organization, its wallets and everything else in " +
    `${displayPath(settings.dataDirectory)}: ${dataDirectoryPrefix(settings)}npx countersign dev --reset`
  )
}
