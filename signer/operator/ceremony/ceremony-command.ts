import type { SeedFiles } from "./seed-places.ts"

/** `sheets`: folder in memory for pages to print. `holders`: keys of holders, or files of them. `approvals`: files. */
export type CeremonyCommand = {
  shares: number
  threshold: number
  usesPassphrase: boolean
  usesCommand: boolean
  sheets: string | undefined
  holders: readonly string[]
  approvesSetupCodes: boolean
  approvals: readonly string[]
} & SeedFiles
