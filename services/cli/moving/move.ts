import { counted } from "../../../signer/core/counted.ts"
import { commandText } from "../../../signer/core/command-text.ts"
import type { ChangeOptions } from "../../terminal-client/changes/change.ts"
import type { Stamping } from "../../terminal-client/changes/stamping.ts"
import { CliError, ExitCode, usage } from "../../terminal-client/exit.ts"
import { Directory } from "../../terminal-client/names/resolve.ts"
import { readTrustedPins } from "../../terminal-client/pins.ts"
import { printEither } from "../../terminal-client/terminal.ts"
import { whoami } from "../../terminal-client/whoami.ts"
import {
  exportSecret,
  type ExportOrder,
  importSecret,
  requestImportKey,
  requireNoneWaits,
} from "../wallets/transfer.ts"

export type MoveOptions = ChangeOptions & { to: string; all?: boolean }

/** The result for one wallet or private key. `reason`: why it was not moved. */
export type Moved = {
  name: string
  outcome: "moved" | "moved before" | "would be moved" | "waits" | "not moved"
  id?: string
  /** Accounts or addresses that the other deployment has now. */
  count: number
  reason?: string
}

type Item = { readonly [member: string]: unknown }

/** `userId`: the user at the target, who imports. */
export type Move = { userId: string; options: MoveOptions; source: Stamping; target: Stamping }

/** Secrets that are moved one by one. */
export type Movable = {
  kind: "wallet" | "private-key"
  noun: string
  plural: string
  nameOf: (item: Item) => string
  countOf: (count: number) => string
  move: (item: Item, context: Move) => Promise<Omit<Moved, "name">>
  /** The result for programs. */
  jsonOf: (moved: Moved) => object
}

/**
 * Moves wallets or private keys to the organization of another deployment, which may be of any service that speaks this API. Each secret
 * is exported to a key of this process, sealed to the other signer, and wiped; then addresses are compared. The first organization
 * keeps everything. A repeated command continues: it moves what is missing.
 *
 * @throws {CliError} usage; waitsForApproval or fault, if not everything was moved
 */
export async function moveNamed(
  movable: Movable,
  names: readonly string[],
  options: MoveOptions,
  source: Stamping,
  target: Stamping,
): Promise<void> {
  await requireBoth(source, target)
  const items = await chosen(movable, names, options, source)
  const { userId } = await whoami(target)
  const report = (moved: Moved) => {
    if (!options.json) source.terminal.print(lineOf(movable, moved))
  }
  const all = await moveEach(movable, items, { userId, options, source, target }, report)
  const member = movable.plural.replace(" k", "K")
  printEither(source.terminal, options, { [member]: all.map(movable.jsonOf) }, [])
  const left = all.filter(isLeft)
  if (left.length > 0)
    throw leftError(
      left,
      `not moved yet: ${left.length} of ${counted(all.length, movable.noun, movable.plural)}`,
    )
}

/** Two organizations, and pins of both: without them no bundle can be checked, so nothing is exported. */
export async function requireBoth(source: Stamping, target: Stamping): Promise<void> {
  if (source.organizationId === target.organizationId)
    throw usage("--to names the organization that is moved: give the profile of another one")
  for (const { pinsFile } of [source, target]) await readTrustedPins(pinsFile)
}

/** A wallet or key that cannot be moved does not stop the others. */
export async function moveEach(
  { nameOf, move }: Movable,
  items: readonly Item[],
  context: Move,
  report: (moved: Moved) => void,
): Promise<Moved[]> {
  const all: Moved[] = []
  for (const item of items) {
    const moved = { name: nameOf(item), ...(await move(item, context).catch(unmoved)) }
    all.push(moved)
    report(moved)
  }
  return all
}

function unmoved(error: unknown): Omit<Moved, "name"> {
  if (!(error instanceof CliError)) throw error
  const outcome = error.code === ExitCode.waitsForApproval ? "waits" : "not moved"
  return { outcome, count: 0, reason: error.lines.join(". ") }
}

export function isLeft({ outcome }: Pick<Moved, "outcome">): boolean {
  return outcome === "waits" || outcome === "not moved"
}

export function leftError(left: readonly Moved[], sentence: string): CliError {
  const isWaiting = left.some(({ outcome }) => outcome === "waits")
  return new CliError(isWaiting ? ExitCode.waitsForApproval : ExitCode.fault, [
    `${sentence}: the same command continues`,
  ])
}

export function lineOf({ countOf }: Movable, { name, outcome, id, count, reason }: Moved): string {
  const rest = reason ?? [countOf(count), id].filter((word) => word !== undefined).join(", ")
  return `${outcome.padEnd(12)}  ${name}: ${rest}`
}

async function chosen(
  { kind, plural }: Movable,
  names: readonly string[],
  { all }: MoveOptions,
  source: Stamping,
): Promise<readonly Item[]> {
  if (all === true && names.length > 0)
    throw usage(`--all moves all ${plural}: give it alone, or the names of some`)
  if (all !== true && names.length === 0) throw usage(`name the ${plural} to move, or give --all`)
  const directory = new Directory(source)
  if (all) return directory.list(kind)
  return Promise.all(names.map((name) => directory.find(kind, name)))
}

/**
 * Exports a secret and imports it, and returns the import's result. The import key comes first: nothing is exported for a signer that
 * does not take it yet.
 *
 * @throws {CliError} waitsForApproval; verificationFailed: a bundle of another signer than the pinned one; or of the API
 */
export async function copySecret(
  order: ExportOrder,
  parameters: Item,
  { userId, options, source, target }: Move,
): Promise<Item> {
  const again = { again: options.again === true }
  await requireNoneWaits(`ACTIVITY_TYPE_EXPORT_${order.type}`, order.identity, source)
  const wanted = { type: order.type, userId, parameters }
  const key = await requestImportKey(wanted, again, target).catch(atTarget(options))
  const secret = await exportSecret(order, again, source)
  if (secret === undefined) throw new Error("the export was not submitted")
  try {
    return await importSecret(wanted, secret, key, target).catch(atTarget(options))
  } finally {
    secret.wipe()
  }
}

/** Says where an activity waits: its approvers are users of the other organization. */
function atTarget({ to }: MoveOptions): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof CliError) || error.code !== ExitCode.waitsForApproval) throw error
    const { code, lines, reason, reply } = error
    throw new CliError(code, [...lines, commandText`it waits at the other deployment: add --profile ${to}`], {
      cause: error,
      reason,
      reply,
    })
  }
}
