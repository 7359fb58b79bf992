import { counted } from "../../../signer/core/counted.ts"
import { isUnserved, type LiveOrganization, type Missing } from "../../organization-file/live.ts"
import type { LeftOut } from "../../organization-file/movable.ts"
import type { Stamping } from "../../terminal-client/changes/stamping.ts"
import { listAll } from "../../terminal-client/list-all.ts"
import type { MovedConfiguration } from "./configuration.ts"
import { isLeft, type Movable, type Moved } from "./move.ts"
import { privateKeys } from "./private-keys.ts"
import { wallets } from "./wallets.ts"

/** The report of a move, as --json prints it. */
export type MoveReport = {
  wallets: object[]
  privateKeys: object[]
  configuration: Omit<MovedConfiguration, "leftOut">
  notCarried: LeftOut[]
  leftToDo: string[]
}

type Found = {
  from: LiveOrganization
  wallets: readonly Moved[]
  privateKeys: readonly Moved[]
  configuration: MovedConfiguration
  others: readonly LeftOut[]
}

export function reportOf({
  from,
  configuration: { leftOut, ...configuration },
  others,
  ...moved
}: Found): MoveReport {
  const secrets = [
    ...moved.wallets.filter(isLeft).map((one) => unmoved(wallets, one)),
    ...moved.privateKeys.filter(isLeft).map((one) => unmoved(privateKeys, one)),
  ]
  const { outcome, reason = "" } = configuration
  const kept = outcome === "not moved" ? [{ what: "the configuration", why: reason }] : []
  return {
    wallets: moved.wallets.map(wallets.jsonOf),
    privateKeys: moved.privateKeys.map(privateKeys.jsonOf),
    configuration,
    notCarried: [...secrets, ...kept, ...leftOut, ...others],
    leftToDo: leftToDo(from, configuration, [...secrets, ...kept, ...leftOut]),
  }
}

function unmoved({ noun }: Movable, { name, reason = "" }: Moved): LeftOut {
  return { what: `${noun} ${name}`, why: reason }
}

/** Parts that no file and no bundle carries, as far as the service tells. */
export async function staying(
  { invitations }: LiveOrganization,
  missing: readonly Missing[],
  source: Stamping,
): Promise<LeftOut[]> {
  const [children, secrets] = await Promise.all([
    listIfServed(source, "list_suborgs", "organizationIds"),
    listIfServed(source, "list_secrets", "secrets"),
  ])
  return [
    ...missing.map(({ part, query }) => ({ what: part, why: `the first service has no query ${query}` })),
    ...invitations
      .filter(({ status }) => status === "INVITATION_STATUS_CREATED")
      .map(({ receiverUserName, receiverEmail }) => ({
        what: `invitation of ${receiverUserName} (${receiverEmail})`,
        why: "it is not accepted yet: invite them here",
      })),
    ...(secrets as readonly { secretId: string; name?: string }[]).map(({ secretId, name }) => ({
      what: `secret ${name ?? secretId}`,
      why: "export it with a client of the service, and import it here",
    })),
    ...(children as readonly string[]).map((organizationId) => ({
      what: `sub-organization ${organizationId}`,
      why: "its own users move it: countersign config move with a profile of it",
    })),
    { what: "activities, sessions and proofs", why: "they belong to the signer that made them" },
  ]
}

async function listIfServed(source: Stamping, path: string, member: string): Promise<readonly unknown[]> {
  try {
    return await listAll(source, path, member)
  } catch (error) {
    if (!isUnserved(error)) throw error
    return []
  }
}

function leftToDo(
  { users, webhookEndpoints }: LiveOrganization,
  { outcome, waiting, kept, byHand, notes }: MoveReport["configuration"],
  left: readonly LeftOut[],
): string[] {
  const isMoved = outcome === "moved" || outcome === "moved before"
  const withPasskeys = users.filter(({ authenticators }) => authenticators.length > 0)
  return [
    ...(left.length > 0 ? ["remove the reasons above, then run the same command: it continues"] : []),
    ...waiting.map(({ title, fingerprint }) => `approve ${title}: npx countersign approve ${fingerprint}`),
    ...byHand,
    ...notes,
    ...(withPasskeys.length > 0
      ? [`users register passkeys here: ${withPasskeys.map(({ userName }) => userName).join(", ")}`]
      : []),
    ...webhookEndpoints.map(({ url }) => `the receiver at ${url} verifies with the keys of this deployment`),
    ...(isMoved && kept.length > 0
      ? [`decide about what only the new organization has: ${kept.join("; ")}`]
      : []),
    "clients take the new base URL, organization id and pins: countersign pins apply",
    "delete wallets and private keys of the first organization once this one signs",
  ]
}

/** The report for people. Wallets and keys were printed as they moved. */
export function linesOfReport({
  wallets: w,
  privateKeys: k,
  configuration,
  notCarried,
  leftToDo: todo,
}: MoveReport): string[] {
  const { outcome, completed, planned = [] } = configuration
  return [
    "",
    "carried",
    `  ${countOfMoved(w)} of ${counted(w.length, "wallet")}, ${countOfMoved(k)} of ${counted(k.length, "private key")}`,
    `  configuration: ${outcome}${completed.length > 0 ? `, ${counted(completed.length, "activity", "activities")}` : ""}`,
    ...planned.map((title) => `    ${title}`),
    "not carried",
    ...notCarried.map(({ what, why }) => `  ${what}: ${why}`),
    "left to do",
    ...todo.map((line) => `  ${line}`),
  ]
}

function countOfMoved(all: readonly object[]): number {
  return (all as readonly Pick<Moved, "outcome">[]).filter((one) => !isLeft(one)).length
}
