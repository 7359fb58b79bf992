import { counted } from "../../../signer/core/counted.ts"
import { type LiveOrganization, type Missing, readLive } from "../../organization-file/live.ts"
import type { SecretTexts } from "../../organization-file/secrets.ts"
import { confirm } from "../../terminal-client/ask.ts"
import type { ChangeOptions } from "../../terminal-client/changes/change.ts"
import type { Stamping } from "../../terminal-client/changes/stamping.ts"
import { CliError, ExitCode, usage } from "../../terminal-client/exit.ts"
import { Directory } from "../../terminal-client/names/resolve.ts"
import { printEither } from "../../terminal-client/terminal.ts"
import { whoami } from "../../terminal-client/whoami.ts"
import { onInterrupt } from "../output/interrupt.ts"
import { type MovedConfiguration, moveConfiguration, requireAnswer } from "./configuration.ts"
import { isLeft, leftError, lineOf, moveEach, type Movable, type Moved, requireBoth } from "./move.ts"
import { privateKeys } from "./private-keys.ts"
import { type MoveReport, linesOfReport, reportOf, staying } from "./report.ts"
import { wallets } from "./wallets.ts"

export type MoveOrganizationOptions = ChangeOptions & {
  to: string
  yes?: true
  clientSecret?: readonly string[]
  onRampSecret?: readonly string[]
  onRampPrivateKey?: readonly string[]
}

/**
 * Moves an organization to the one of another deployment: wallets and private keys, then users, policies and all else of its file, which
 * name them. One report says what was carried, what stays behind and why, and what is left to do. The first organization keeps everything.
 *
 * @throws {CliError} usage; waitsForApproval or fault, if the same command has something to continue
 */
export async function moveOrganization(
  options: MoveOrganizationOptions,
  source: Stamping,
  target: Stamping,
): Promise<void> {
  requireAnswer(options)
  await requireBoth(source, target)
  const missing: Missing[] = []
  const from = await readLive(source, { allowlists: true, onMissing: (what) => missing.push(what) })
  const { terminal } = source
  const stopListening = onInterrupt(() =>
    terminal.log("stopped: what was moved stays there. The same command continues, and moves nothing twice"),
  )
  try {
    const secrets = await moveSecrets(from, options, source, target)
    const configuration = await configurationAfter(secrets, from, options, target)
    const others = await staying(from, missing, source)
    const report = reportOf({ from, ...secrets, configuration, others })
    printEither(terminal, options, report, linesOfReport(report))
    requireDone(secrets, configuration)
  } finally {
    stopListening()
  }
}

type MovedSecrets = { wallets: Moved[]; privateKeys: Moved[] }

async function moveSecrets(
  from: LiveOrganization,
  options: MoveOrganizationOptions,
  source: Stamping,
  target: Stamping,
): Promise<MovedSecrets> {
  const { userId, organizationName } = await whoami(target)
  const [walletCount, keyCount] = [from.wallets.length, from.privateKeys.length]
  if (walletCount + keyCount > 0 && !options.yes && !options.dryRun)
    await requireYes(
      `move ${counted(walletCount, "wallet")} and ${counted(keyCount, "private key")} to ${organizationName}?`,
    )
  const context = { userId, options, source, target }
  const directory = new Directory(source)
  const each = async (movable: Movable) =>
    moveEach(movable, await directory.list(movable.kind), context, (moved) => {
      if (!options.json) source.terminal.print(`${movable.noun}  ${lineOf(movable, moved)}`)
    })
  return { wallets: await each(wallets), privateKeys: await each(privateKeys) }
}

/** Policies name wallets and keys, so a configuration without one of them would allow or refuse something else. */
async function configurationAfter(
  secrets: MovedSecrets,
  from: LiveOrganization,
  options: MoveOrganizationOptions,
  target: Stamping,
): Promise<MovedConfiguration> {
  const left = [...secrets.wallets, ...secrets.privateKeys].filter(isLeft)
  if (left.length > 0) {
    const reason = `policies may name ${left.map(({ name }) => name).join(", ")}: these come first`
    const none = { completed: [], waiting: [], kept: [], byHand: [], notes: [], leftOut: [] }
    return { ...none, outcome: "not moved", reason }
  }
  const { json = false, dryRun = false, again = false, yes } = options
  const say = json ? () => undefined : target.terminal.print
  const ask = async (lines: readonly string[]) => {
    if (!json) lines.forEach(say)
    if (!yes) await requireYes("apply this configuration?")
  }
  return moveConfiguration(
    from,
    { dryRun, again, texts: textsOf(options), confirm: ask, report: say },
    target,
  )
}

function textsOf({
  clientSecret = [],
  onRampSecret = [],
  onRampPrivateKey = [],
}: MoveOrganizationOptions): SecretTexts {
  return {
    "client-secret": clientSecret,
    "on-ramp-secret": onRampSecret,
    "on-ramp-private-key": onRampPrivateKey,
  }
}

async function requireYes(question: string): Promise<void> {
  if (await confirm(question)) return
  throw usage("stopped: what was moved before stays there; the same command continues")
}

function requireDone(secrets: MovedSecrets, { outcome }: MoveReport["configuration"]): void {
  const left = [...secrets.wallets, ...secrets.privateKeys].filter(isLeft)
  if (left.length > 0)
    throw leftError(
      left,
      `not moved yet: ${counted(left.length, "wallet or private key", "wallets or private keys")}`,
    )
  if (outcome === "waits")
    throw new CliError(
      ExitCode.waitsForApproval,
      "the configuration waits for approval: the same command continues",
    )
  if (outcome === "not moved")
    throw new CliError(
      ExitCode.fault,
      "the configuration is not moved: the report says why; then the same command continues",
    )
}
