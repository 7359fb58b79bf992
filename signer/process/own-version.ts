import { readFileSync } from "node:fs"
import { join } from "node:path"

/** Version of this installation, from package.json. */
export function ownVersion(): string {
  const file = join(import.meta.dirname, "..", "..", "package.json")
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version
}
