/**
 * Acts that no single operator may do where holders are enrolled, with their meaning for holders. A text has one line for each, so that
 * a holder needs no other page to know what they approve.
 */
const MEANINGS = {
  "accept-clock":
    "The signer takes this host's clock for the true time, although its ledger contradicts it. A wrong clock lets expired requests run again.",
  "accept-ledger":
    "The signer goes on with a ledger that is older than state which it signed. All newer state is given up for good.",
  "setup-code": "The key of this act creates one top-level organization, whose only root user it becomes.",
  "change-shares":
    "The root seed gets a new set of shares under a new key. The present shares open the new file no more.",
  "change-witnesses":
    "A signer that starts waits for these witnesses of its log alone. Without honest ones nobody notices that its ledger is an older copy.",
  "export-authority":
    "The key of the certificate authority leaves its sealed file. Whoever has it lets any caller in to signer and fetcher.",
  "leave-production": "The processes of this deployment may start with what is for development.",
} as const

/** The name of an act, as the operator's command has it. */
export type ActName = keyof typeof MEANINGS

/**
 * An act with all its parameters: their names and values, in the order in which holders read them. `noted`: what else they read; an
 * act with other notes is the same act.
 */
export type HolderAct = {
  readonly name: ActName
  readonly parameters: readonly ActParameter[]
  readonly noted?: readonly ActParameter[]
}
export type ActParameter = readonly [name: string, value: string]

export const ACT_NAMES = Object.keys(MEANINGS) as readonly ActName[]

export function meaningOf(name: ActName): string {
  return MEANINGS[name]
}
