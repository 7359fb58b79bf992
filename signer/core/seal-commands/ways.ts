import { UsageFault } from "../command-line.ts"

/** How a sealed file is opened. */
export type OpenBy = "shares" | "passphrase" | "command"

/** Options of the commands about daily ways, as `parseWords` reads them. */
export const WAY_OPTIONS = {
  passphrase: { type: "boolean" },
  command: { type: "boolean" },
  by: { type: "string" },
  wait: { type: "string" },
} as const

type Values = { passphrase?: boolean | undefined; command?: boolean | undefined; by?: string | undefined }

/** A change of the daily ways: what opens the present file, and the ways that the next one has. */
export type DailyChange = { by: OpenBy; usesPassphrase: boolean; usesCommand: boolean }

/** `change-daily` @throws {UsageFault} */
export function dailyChangeOf({ by = "shares", passphrase = false, command = false }: Values): DailyChange {
  if (by === "shares" || by === "passphrase" || by === "command")
    return { by, usesPassphrase: passphrase, usesCommand: command }
  throw new UsageFault(`--by ${by}: write shares, passphrase or command`)
}

/** `unlock` @throws {UsageFault} */
export function unlockWayOf({ passphrase = false, command = false }: Values): OpenBy {
  if (passphrase && command)
    throw new UsageFault("unlock takes one way: --passphrase, --command, or shares without an option")
  if (passphrase) return "passphrase"
  return command ? "command" : "shares"
}

/** Refuses options of ways that are of another command. @throws {UsageFault} */
export function requireWays(command: string, { passphrase, command: byCommand, by }: Values): void {
  if ((passphrase ?? byCommand) !== undefined && command !== "unlock" && command !== "change-daily")
    throw new UsageFault("--passphrase and --command belong to unlock and change-daily")
  if (by !== undefined && command !== "change-daily") throw new UsageFault("--by belongs to change-daily")
}

/** The longest time that a command waits, seconds. */
const MAX_WAIT = 3_600

/** `--wait`, in seconds. @throws {UsageFault} */
export function waitOf(wait = "0"): number {
  if (/^\d{1,4}$/.test(wait) && Number(wait) <= MAX_WAIT) return Number(wait)
  throw new UsageFault(`--wait: write a whole number of seconds up to ${MAX_WAIT}`)
}
