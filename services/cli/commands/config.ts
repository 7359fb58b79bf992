import { confirm as ask } from "../../terminal-client/ask.ts"
import { type Applied, applyPlan } from "../../organization-file/apply.ts"
import { checkFile } from "../../organization-file/check.ts"
import { fileOf } from "../../organization-file/export.ts"
import { type Missing, readLive } from "../../organization-file/live.ts"
import { notCarried } from "../../organization-file/not-carried.ts"
import { sealSecrets } from "../../organization-file/secrets.ts"
import { invitationNotes } from "../../organization-file/invited.ts"
import { contextOf } from "../../organization-file/plan/change.ts"
import { changesOf, type Plan, planOf } from "../../organization-file/plan/plan.ts"
import { readOrganizationFile } from "../../organization-file/read-file.ts"
import { jsonOfPlan, linesOfPlan } from "../../organization-file/words.ts"
import { textOfNew, updateFile } from "../../organization-file/write-file.ts"
import type { Stamping } from "../../terminal-client/changes/stamping.ts"
import { CliError, ExitCode, usage } from "../../terminal-client/exit.ts"
import { onInterrupt } from "../output/interrupt.ts"
import { printEither, printResult } from "../../terminal-client/terminal.ts"

/** Prints the organization as a file, or brings a file up to date. */
export async function exportConfig(
  path: string | undefined,
  { json }: { json?: boolean },
  target: Stamping,
): Promise<void> {
  const { terminal } = target
  const missing: Missing[] = []
  const live = await readLive(target, { allowlists: true, onMissing: (what) => missing.push(what) })
  for (const line of notCarried(live, missing)) terminal.log(line)
  const value = fileOf(live)
  if (path === undefined) {
    printEither(terminal, { json }, value, textOfNew(value).trimEnd().split("\n"))
    return
  }
  const changed = await updateFile(path, value)
  printEither(terminal, { json }, { file: path, changed }, [
    changed ? `wrote ${path}` : `${path} is up to date`,
  ])
}

export type DiffOptions = { prune?: boolean; json?: boolean }

/** Prints what apply would do. @throws {CliError} verificationFailed, if the organization is not as the file says */
export async function diffConfig(path: string, options: DiffOptions, target: Stamping): Promise<void> {
  const { plan, notes } = await prepare(path, options, target)
  show(plan, notes, options, target)
  const count = changesOf(plan).length + plan.byHand.length
  if (count > 0) throw new CliError(ExitCode.verificationFailed, `the organization differs from ${path}`)
}

export type ApplyOptions = DiffOptions & {
  yes?: true
  dryRun?: true
  again?: true
  clientSecret?: readonly string[]
  onRampSecret?: readonly string[]
  onRampPrivateKey?: readonly string[]
}

/** Makes the organization as the file says. @throws {CliError} waitsForApproval, if activities wait for votes */
export async function applyConfig(path: string, options: ApplyOptions, target: Stamping): Promise<void> {
  const { plan, notes, file, live } = await prepare(path, options, target)
  const { json = false, dryRun, yes, prune = false, again = false } = options
  const { terminal } = target
  if (json && !yes && !dryRun)
    throw usage("--json asks nothing: add --yes to apply, or --dry-run to see the plan")
  if (!json || dryRun) show(plan, notes, options, target)
  if (dryRun) return
  const { client, organizationId, pinsFile } = target
  const sealing = { organizationId, pinsFile, key: client.key }
  const { clientSecret = [], onRampSecret = [], onRampPrivateKey = [] } = options
  const texts = {
    "client-secret": clientSecret,
    "on-ramp-secret": onRampSecret,
    "on-ramp-private-key": onRampPrivateKey,
  }
  const secrets = await sealSecrets(texts, plan, file, sealing)
  if (plan.activities.length > 0 && !yes) await confirm(live.name)
  const report = json ? () => undefined : terminal.print
  const stopListening = onInterrupt(() =>
    terminal.log("stopped: what was done stays. The same command continues, and sends nothing twice"),
  )
  const applied = await applyPlan({ ...target, file, prune, secrets, again, report }, live, plan).finally(
    stopListening,
  )
  if (json) {
    const { completed, waiting } = applied
    const { kept, byHand } = plan
    printResult(
      terminal,
      { organizationId: target.organizationId, completed, waiting, kept, byHand },
      { json },
    )
  }
  if (applied.waiting.length > 0) throw waitingError(applied)
  if (!json && plan.activities.length > 0) terminal.print(`the organization is as ${path} says`)
}

async function prepare(path: string, { prune = false }: DiffOptions, target: Stamping) {
  const { file, refuse } = await readOrganizationFile(path)
  const live = await readLive(target, { allowlists: file.ipAllowlists !== undefined })
  const { faults, notes } = checkFile(file, live, prune)
  refuse(faults)
  const plan = planOf(contextOf(file, live, prune, new Map()))
  return { plan, notes: [...notes, ...invitationNotes(file, live)], file, live }
}

function show(
  plan: Plan,
  notes: readonly string[],
  options: DiffOptions,
  { terminal, organizationId }: Pick<Stamping, "terminal" | "organizationId">,
): void {
  printEither(terminal, options, jsonOfPlan(plan, notes), linesOfPlan(plan, notes, organizationId))
}

/** @throws {CliError} usage: there is no terminal to ask at, or the answer is no */
async function confirm(name: string): Promise<void> {
  if (!process.stdin.isTTY)
    throw usage("no terminal to ask at: add --yes to apply the plan. Nothing was sent")
  if (await ask(`apply this to ${name}?`)) return
  throw usage("not applied. Nothing was sent")
}

/** Each waiting activity with the command that approves it. */
function waitingError({ waiting, unfinished }: Applied): CliError {
  const count = waiting.length === 1 ? "one change waits" : `${waiting.length} changes wait`
  return new CliError(ExitCode.waitsForApproval, [
    `${count} for approval. Then run the same command again: it continues, and sends nothing twice`,
    ...unfinished.flatMap(({ lines }) => lines),
  ])
}
