import { existsSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { parseEnv } from "node:util"

const values = readValues()

/** A value that `countersign dev` wrote into .env.local. */
export function need(name: string): string {
  return values[name] ?? fail(`.env.local does not say ${name}`)
}

/** Ends the example with a sentence. */
export function fail(sentence: string): never {
  console.error(sentence)
  process.exit(1)
}

function readValues(): NodeJS.Dict<string> {
  const root = join(import.meta.dirname, "..")
  const file = join(resolve(process.env.COUNTERSIGN_DATA_DIR || root), ".env.local")
  if (!existsSync(file)) fail(`${file} is not there. In another terminal: npm start`)
  return parseEnv(readFileSync(file, "utf8"))
}
