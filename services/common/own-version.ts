import { readFileSync } from "node:fs"

/** Version of this installation, from package.json. */
export function ownVersion(): string {
  const file = new URL("../../package.json", import.meta.url)
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version
}
