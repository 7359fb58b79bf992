import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { activityTypes } from "../../proto/catalog.ts"
import { Authority } from "../../proto/gen/countersign/api/v1/options_pb.ts"
import type { PowerName } from "../../signer/enclave/activities/context.ts"
import { ROOT } from "../run.ts"
import { exportOf } from "./indexes.ts"
import { fileOfPath, MODULES } from "./module-files.ts"

const COLUMNS = ["key", "mail", "fetched fact", "session", "sub-organization"] as const
type Column = (typeof COLUMNS)[number]

/** The columns of each power; none: it reaches none of these. */
const COLUMNS_OF: { readonly [Power in PowerName]: readonly Column[] } = {
  signingKey: ["key"],
  vault: ["key"],
  random: ["key"],
  exportBundle: ["key"],
  importKey: ["key"],
  secretImportKey: ["key"],
  authProxyKey: ["key"],
  mailedKey: ["key", "mail"],
  send: ["key"],
  broadcast: [],
  session: ["session"],
  credential: [],
  loginMfa: [],
  settings: [],
  subOrganization: ["sub-organization"],
  issuer: ["fetched fact"],
  code: ["mail"],
  verification: ["fetched fact"],
  invitation: ["mail"],
  oauth2: ["fetched fact"],
  clientSecret: ["fetched fact"],
  onRamp: ["fetched fact"],
}

/** The activities that reach a power that matters, for signer/README.md. */
export async function tableOfPowers(): Promise<string> {
  const served = [...activityTypes.values()].filter(
    (entry) => entry.served && entry.authority !== Authority.VOTE,
  )
  const rows: string[] = []
  let others = 0
  for (const [path, entries] of Map.groupBy(served, (entry) => entry.path)) {
    const needs = await needsOf(path, entries.map(exportOf))
    const cells = COLUMNS.map((column) => needs.filter((power) => COLUMNS_OF[power].includes(column)))
    if (cells.every((powers) => powers.length === 0)) others++
    else rows.push(`| \`${path}\` | ${cells.map((powers) => powers.join(", ")).join(" | ")} |`)
  }
  return [
    `| activity | ${COLUMNS.join(" | ")} |`,
    `|---|${COLUMNS.map(() => "---|").join("")}`,
    ...rows,
    "",
    `The other ${others} activities reach none of them.`,
  ].join("\n")
}

/** Powers that the types of a path declare together. None while the file of a newly declared activity is empty. */
async function needsOf(path: string, names: readonly string[]): Promise<PowerName[]> {
  const file = join(ROOT, MODULES, fileOfPath(path))
  const exported = (await import(pathToFileURL(file).href)) as {
    readonly [name: string]: { readonly needs?: readonly PowerName[] } | undefined
  }
  return [...new Set(names.flatMap((name) => exported[name]?.needs ?? []))].toSorted()
}
