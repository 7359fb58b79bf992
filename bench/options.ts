import { parseArgs } from "node:util"

export type Options = {
  /** Length of one measured window. */
  seconds: number
  rounds: number
  /** Names of goals (G4) or of series (service at 64), with suborgs the sizes; empty: everything. */
  only: readonly string[]
  /** Writes CPU profiles of API and signer; figures taken with it are not comparable. */
  profile: boolean
  /** The quick form: shows that everything runs and measures nothing worth keeping. */
  short: boolean
  /** With `trees` and `peers`, the commit of the other tree. */
  against: string
  /** Group of measurements. */
  family: BenchFamily
}

export type BenchFamily = "requests" | (typeof OTHERS)[number]

/** Groups of measurements that are named on the command line. */
const OTHERS = [
  "suborgs",
  "keys",
  "policies",
  "fairness",
  "transactions",
  "login",
  "webhooks",
  "dashboard",
  "growth",
  "restarts",
  "traces",
  "backups",
  "trees",
  "codecs",
  "peers",
] as const

export const USAGE = `npm run bench -- [suborgs|keys|policies|fairness|transactions|login|webhooks|dashboard|growth|restarts|traces|backups|trees|codecs|peers] [short] [--seconds 2] [--rounds 5] [--only G4,G5] [--against COMMIT] [--profile]`

/** @throws Error naming what cannot be read */
export function readOptions(args: string[]): Options {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      seconds: { type: "string" },
      rounds: { type: "string" },
      only: { type: "string", default: "" },
      against: { type: "string", default: "HEAD" },
      profile: { type: "boolean", default: false },
    },
  })
  const short = positionals.includes("short")
  const [family = "requests", ...more] = OTHERS.filter((name) => positionals.includes(name))
  const unknown = positionals.find((word) => word !== "short" && word !== family) ?? more[0]
  if (unknown !== undefined) throw new Error(`${unknown} means nothing here: ${USAGE}`)
  const only = values.only
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "")
  return {
    seconds: readNumber("--seconds", values.seconds, short ? 0.2 : 2),
    rounds: Math.ceil(readNumber("--rounds", values.rounds, short || values.profile ? 1 : 5)),
    only,
    profile: values.profile,
    short,
    against: values.against,
    family,
  }
}

function readNumber(name: string, text: string | undefined, otherwise: number): number {
  const value = text === undefined ? otherwise : Number(text)
  if (!(value > 0 && value <= 3600)) throw new Error(`${name} takes a number above 0: ${USAGE}`)
  return value
}
