import { existsSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { parseEnv } from "node:util"

const ROOT = join(import.meta.dirname, "..")
const values = readValues()

/** A value that `countersign dev` wrote into .env.local. */
export function need(name: string): string {
  return values[name] ?? fail(`.env.local does not say ${name}`)
}

/** The key of a user whom `countersign dev` made: root, backend, alice or bob. */
export function keyOf(userName: string): { apiPublicKey: string; apiPrivateKey: string } {
  const directory = resolve(process.env.COUNTERSIGN_DATA_DIR || join(ROOT, ".countersign"))
  const half = (which: string) => readFileSync(join(directory, "keys", `${userName}.${which}`), "utf8").trim()
  return { apiPublicKey: half("public"), apiPrivateKey: half("private") }
}

/** Ends the example with a sentence. */
export function fail(sentence: string): never {
  console.error(sentence)
  process.exit(1)
}

function readValues(): NodeJS.Dict<string> {
  const file = join(resolve(process.env.COUNTERSIGN_DATA_DIR || ROOT), ".env.local")
  if (!existsSync(file)) fail(`${file} is not there. In another terminal: npm start`)
  return parseEnv(readFileSync(file, "utf8"))
}
