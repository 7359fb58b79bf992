import { applyPlan, type Sent } from "../../organization-file/apply.ts"
import { checkFile } from "../../organization-file/check.ts"
import { fileOf } from "../../organization-file/export.ts"
import { organizationFile } from "../../organization-file/file.ts"
import { type LiveOrganization, readLive } from "../../organization-file/live.ts"
import { type LeftOut, movablePart } from "../../organization-file/movable.ts"
import { contextOf } from "../../organization-file/plan/change.ts"
import { changesOf, type Plan, planOf } from "../../organization-file/plan/plan.ts"
import { sealSecrets, type SecretTexts } from "../../organization-file/secrets.ts"
import { linesOfPlan, titleOf } from "../../organization-file/words.ts"
import type { Stamping } from "../../terminal-client/changes/stamping.ts"
import { CliError, ExitCode, usage } from "../../terminal-client/exit.ts"
import { requireForm } from "../../terminal-client/files/form-file.ts"
import type { FileFault } from "../../terminal-client/files/value-file.ts"

/** The configuration's part of the report. */
export type MovedConfiguration = {
  outcome: "moved" | "moved before" | "would be moved" | "waits" | "not moved"
  completed: Sent[]
  waiting: Sent[]
  /** Objects that only the other organization has, and what is done by hand. */
  kept: readonly string[]
  byHand: readonly string[]
  notes: readonly string[]
  leftOut: LeftOut[]
  reason?: string
  /** With --dry-run: objects that would change. */
  planned?: string[]
}

type Options = {
  dryRun?: boolean
  again?: boolean
  texts: SecretTexts
  /** Asks whether the plan is applied. @throws {CliError} usage: no */
  confirm: (lines: readonly string[]) => Promise<void>
  report: (line: string) => void
}

/**
 * Makes the other organization as the first one is configured; it deletes nothing there. A change that waits or is refused does not lose
 * what was done before: the report names it, and a repeated command continues.
 *
 * @throws {CliError} usage: the plan is declined; unreachable
 */
export async function moveConfiguration(
  from: LiveOrganization,
  options: Options,
  target: Stamping,
): Promise<MovedConfiguration> {
  const live = withUnmoved(await readLive(target, { allowlists: true }), from, options.dryRun === true)
  const none = { completed: [], waiting: [], kept: [], byHand: [], notes: [] }
  const faults: FileFault[] = []
  const refuse = (found: readonly FileFault[]) => void faults.push(...found)
  const whole = requireForm(organizationFile, { value: fileOf(from), refuse })
  if (whole === undefined) return { ...none, outcome: "not moved", leftOut: [], reason: textOf(faults) }
  const { file, leftOut } = movablePart(whole, live, options.texts)
  const checked = checkFile(file, live, false)
  if (checked.faults.length > 0)
    return { ...none, outcome: "not moved", leftOut, reason: textOf(checked.faults) }
  const plan = planOf(contextOf(file, live, false, new Map()))
  const found = { ...none, kept: plan.kept, byHand: plan.byHand, notes: checked.notes, leftOut }
  if (plan.activities.length === 0) return { ...found, outcome: "moved before" }
  const lines = linesOfPlan(plan, checked.notes, target.organizationId)
  if (options.dryRun) {
    lines.forEach(options.report)
    return { ...found, outcome: "would be moved", planned: changesOf(plan).map(titleOf) }
  }
  const { organizationId, pinsFile, client } = target
  const secrets = await sealSecrets(options.texts, plan, file, { organizationId, pinsFile, key: client.key })
  await options.confirm(lines)
  const applying = {
    ...target,
    file,
    prune: false,
    secrets,
    again: options.again === true,
    report: options.report,
  }
  return { ...found, ...(await applied(plan, live, applying)) }
}

/** A refused change is the report's reason. Other faults, such as an unreachable API, end the command. */
async function applied(plan: Plan, live: LiveOrganization, applying: Parameters<typeof applyPlan>[0]) {
  try {
    const { completed, waiting } = await applyPlan(applying, live, plan)
    return { completed, waiting, outcome: waiting.length > 0 ? ("waits" as const) : ("moved" as const) }
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== ExitCode.refused) throw error
    return { outcome: "not moved" as const, reason: error.lines.join(". ") }
  }
}

/** For a dry run: wallets and keys that the move would bring are named as if they were there, with the ids that they have now. */
function withUnmoved(live: LiveOrganization, from: LiveOrganization, isDry: boolean): LiveOrganization {
  if (!isDry) return live
  return {
    ...live,
    wallets: withOthers(live.wallets, from.wallets, ({ walletName }) => walletName),
    privateKeys: withOthers(
      live.privateKeys,
      from.privateKeys.map((key) => ({ ...key, privateKeyTags: [] })),
      ({ privateKeyName }) => privateKeyName,
    ),
  }
}

function withOthers<Item>(
  there: readonly Item[],
  all: readonly Item[],
  nameOf: (item: Item) => string,
): Item[] {
  return [...there, ...all.filter((one) => !there.some((other) => nameOf(other) === nameOf(one)))]
}

function textOf(faults: readonly FileFault[]): string {
  return faults.map(({ path, sentence }) => `${path.join(".")} ${sentence}`).join("; ")
}

/** @throws {CliError} usage: nobody can be asked, so the answer has to be an option */
export function requireAnswer({
  yes,
  dryRun,
  json,
}: {
  yes?: boolean
  dryRun?: boolean
  json?: boolean
}): void {
  if (yes || dryRun || (!json && process.stdin.isTTY)) return
  throw usage(
    "no terminal to ask at: add --yes to move, or --dry-run to see what would be moved. Nothing was sent",
  )
}
