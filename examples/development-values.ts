import { existsSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { parseEnv } from "node:util"
import { printError } from "./terminal.ts"

const ROOT = join(import.meta.dirname, "..")
const { COUNTERSIGN_DATA_DIR } = process.env

/** Directory in which `countersign dev` keeps keys and pins. */
export const DATA_DIRECTORY = resolve(COUNTERSIGN_DATA_DIR || join(ROOT, ".countersign"))

const ENV_FILE = join(COUNTERSIGN_DATA_DIR ? DATA_DIRECTORY : ROOT, ".env.local")
/** Stands before the commands that the examples print. */
export const SETTING = COUNTERSIGN_DATA_DIR ? `COUNTERSIGN_DATA_DIR='${DATA_DIRECTORY}' ` : ""

const START = `In another terminal: ${SETTING}npm start`

const values = readValues()
trustAuthority()

/** A value that `countersign dev` wrote into .env.local. */
export function need(name: string): string {
  return values[name] ?? fail(`${ENV_FILE} does not say ${name}. ${START}`)
}

/** A system of `npm start -- --https` has an authority of its own. Other programs get it by NODE_EXTRA_CA_CERTS. */
function trustAuthority(): void {
  const file = join(DATA_DIRECTORY, "https", "signer", "tls", "ca.crt")
  if (!values["BASE_URL"]?.startsWith("https://localhost") || !existsSync(file)) return
  setDefaultCACertificates([...getCACertificates("default"), readFileSync(file, "utf8")])
}

/** API key of a user of organization Dev: root, backend, alice or bob. */
export function keyOf(userName: string): { apiPublicKey: string; apiPrivateKey: string } {
  const half = (which: string) => {
    const file = join(DATA_DIRECTORY, "keys", `${userName}.${which}`)
    return existsSync(file) ? readFileSync(file, "utf8").trim() : fail(`${file} is not there: put it back`)
  }
  return { apiPublicKey: half("public"), apiPrivateKey: half("private") }
}

/** Handles the rejection of a first call: ends the example with a sentence if nothing answers. */
export function explain(error: unknown): never {
  const { cause } = error as { cause?: { code?: string } }
  if (cause?.code !== "ECONNREFUSED") throw error
  fail(`nothing answers at ${need("BASE_URL")}. ${START}`)
}

/** Ends the example with a sentence. */
export function fail(sentence: string): never {
  printError(sentence)
  process.exit(1)
}

function readValues(): NodeJS.Dict<string> {
  if (existsSync(ENV_FILE)) return parseEnv(readFileSync(ENV_FILE, "utf8"))
  const isRunning = existsSync(join(DATA_DIRECTORY, "dev.lock"))
  return fail(
    isRunning
      ? "not ready yet: wait until `npm start` says Ready. If it has, it runs without seed (--no-seed) and has nothing to sign with"
      : `${ENV_FILE} is not there. ${START}`,
  )
}
