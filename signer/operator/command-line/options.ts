import { UsageFault, type parseWords } from "../../core/command-line.ts"

/** Options of all commands. */
export const OPTIONS = {
  for: { type: "string" },
  expires: { type: "string" },
  wait: { type: "string" },
  json: { type: "boolean" },
  "print-config": { type: "boolean" },
  fetcher: { type: "string" },
  "auth-proxy": { type: "string" },
  join: { type: "string" },
  words: { type: "string" },
  renew: { type: "boolean" },
  serial: { type: "string" },
  restored: { type: "boolean" },
  qr: { type: "boolean" },
  shares: { type: "string" },
  threshold: { type: "string" },
  passphrase: { type: "boolean" },
  command: { type: "boolean" },
  by: { type: "string" },
  sheets: { type: "string" },
  "fetcher-seed": { type: "string" },
  "auth-proxy-key": { type: "string" },
  authority: { type: "boolean" },
  holder: { type: "string", multiple: true },
  "approve-setup-codes": { type: "boolean" },
  approvals: { type: "string", multiple: true },
  within: { type: "string" },
  key: { type: "string" },
  plain: { type: "boolean" },
  passkey: { type: "string" },
  signature: { type: "string" },
  assertion: { type: "string" },
  root: { type: "string" },
  confinement: { type: "boolean" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" },
} as const

export type Values = ReturnType<typeof parseWords<typeof OPTIONS>>["values"]

/** Commands that make a set of shares. */
const SETS = ["ceremony", "change-shares"]
/** Commands that change the sealed file. */
const FILE_CHANGES = ["change-shares", "change-daily", "change-witnesses", "leave-production"]

/** Commands that take an option; every other one refuses it. Options that are not listed belong to all. */
const OWNERS: { readonly [option in keyof typeof OPTIONS]?: readonly string[] } = {
  for: ["setup-code", "approve", "holder"],
  expires: ["setup-code", "approve"],
  "print-config": ["serve"],
  fetcher: ["pair"],
  "auth-proxy": ["pair"],
  join: ["pair"],
  words: ["pair"],
  renew: ["certificate"],
  serial: ["revoke"],
  restored: ["accept-ledger", "approve"],
  qr: ["pins"],
  shares: [...SETS, "approve"],
  threshold: [...SETS, "approve"],
  passphrase: [...SETS, "change-daily", "unlock"],
  command: [...SETS, "change-daily", "unlock"],
  by: FILE_CHANGES.slice(1),
  sheets: SETS,
  "fetcher-seed": SETS,
  "auth-proxy-key": SETS,
  authority: SETS,
  holder: [...SETS, "change-holders", "approve"],
  "approve-setup-codes": SETS,
  approvals: [
    "accept-clock",
    "accept-ledger",
    "setup-code",
    "export-authority",
    ...FILE_CHANGES.filter((name) => name !== "change-daily"),
  ],
  within: ["approve"],
  key: ["holder"],
  plain: ["holder"],
  passkey: ["holder"],
  signature: ["holder"],
  assertion: ["holder"],
  root: ["install"],
  confinement: ["doctor"],
}

/** Refuses an option that belongs to another command. @throws {UsageFault} */
export function requireOwnOptions(command: string, values: Values): void {
  for (const option of Object.keys(OWNERS) as (keyof typeof OPTIONS)[]) {
    const owners = OWNERS[option] ?? []
    if (values[option] === undefined || owners.includes(command)) continue
    throw new UsageFault(`--${option} belongs to ${listed(owners)}`)
  }
  if (values.qr === true) throw new UsageFault(QR_ELSEWHERE)
  if (command === "pair" && values.join === undefined && values.words !== undefined)
    throw new UsageFault("--words belongs to pair NAME --join LINE")
}

/** `a, b and c` */
function listed(names: readonly string[]): string {
  const [last = "", ...others] = names.toReversed()
  return others.length === 0 ? last : `${others.toReversed().join(", ")} and ${last}`
}

/** The package that draws codes is loaded by a ceremony alone. */
const QR_ELSEWHERE = `this program draws no QR code. Where countersign is installed:
  ssh SIGNER countersign-signer pins --json | countersign pins show --pins - --qr`

/** @throws {UsageFault} */
export function readNumber(name: string, text: string): number {
  if (/^\d{1,3}$/.test(text)) return Number(text)
  throw new UsageFault(`${name}: write a whole number`)
}

/** @throws {UsageFault} */
export function readSeconds(name: string, text: string, max: number): number {
  if (/^\d{1,10}$/.test(text) && Number(text) <= max) return Number(text)
  throw new UsageFault(`${name}: write a whole number of seconds up to ${max}`)
}
