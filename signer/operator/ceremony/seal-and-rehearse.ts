import { randomBytes } from "node:crypto"
import { SeedOwner } from "../../../proto/gen/countersign/state/v1/sealed_seed_pb.ts"
import { UsageFault } from "../../core/command-line.ts"
import { type Secret, wiping } from "../../core/crypto/secret.ts"
import type { SealedFile } from "../../core/sealed-seed/format.ts"
import { type DailySlots, sealSeed } from "../../core/sealed-seed/seal.ts"
import type { Share } from "../../core/sealed-seed/share.ts"
import { ownerName } from "../../core/sealed-seed/terms.ts"
import type { SignerConfig } from "../../enclave/config.ts"
import { pinsOfSeed } from "../../enclave/create-deployment.ts"
import type { HolderTerminal } from "../../core/seal-commands/holder-terminal.ts"
import { storeChangedSeed, storeSealedSeed } from "../../core/seal-commands/store-sealed.ts"
import type { StoredSeed } from "../../process/root-seed.ts"
import type { CeremonyCommand } from "./ceremony-command.ts"
import { askDaily, askPassphrase } from "../../core/seal-commands/daily-ways.ts"
import { handOut, type PendingSeal, rehearse } from "./hold.ts"
import type { SeedPlace } from "./seed-places.ts"
import { SheetFolder } from "./sheet-folder.ts"

/** A seed that gets a new set of shares, and its file. `stored`: what the file held when the command began. */
export type SeedToSeal = { place: SeedPlace; stored: StoredSeed | undefined; seed: Secret }

export type Sealing = {
  command: CeremonyCommand
  config: SignerConfig
  holder: HolderTerminal
  generation: number
  holderPublicKeys: readonly Uint8Array[]
  /** True if the deployment stays in production, or is led there. */
  production: boolean
  /** Digest of the witnesses that the signer's settings must name; undefined: any. */
  witnessesDigest: Uint8Array | undefined
  /** Revision of the signer's file. */
  revision: bigint
}

/**
 * Seals the seeds, the signer's first, hands out one sheet to each holder and rehearses. Then the files are stored one after the other,
 * the signer's last; each holds one valid set at any time. `beforeStoring`: what a new deployment needs beside its seed.
 */
export async function sealAndRehearse(
  seeds: readonly [SeedToSeal, ...SeedToSeal[]],
  sealing: Sealing,
  beforeStoring: () => void,
): Promise<SealedFile> {
  const { command, config, holder } = sealing
  const folder = command.sheets === undefined ? undefined : new SheetFolder(command.sheets)
  const { deploymentId } = pinsOfSeed(seeds[0].seed, config)
  const dailies: DailySlots[] = []
  const pending: PendingSeal[] = []
  let typed: Share[][] = []
  try {
    for (const { place } of seeds) dailies.push(await dailyOf(place.owner, sealing, dailies))
    for (const [index, { place, seed }] of seeds.entries()) {
      const daily = dailies[index] ?? {}
      pending.push({ seed, ...(await sealOne(place.owner, seed, { sealing, deploymentId, daily })) })
    }
    typed = await handOut(pending, holder, folder)
    beforeStoring()
    for (const [index, seed] of [...seeds.entries()].toReversed())
      await storeAndRehearse(seed, pending[index]!, typed[index] ?? [])
    return pending[0]!.sealed
  } finally {
    const points = typed.flat().map(({ point }) => point)
    const secrets = dailies.flatMap(secretsOf)
    wiping([...pending.flatMap(({ shares }) => shares), ...points, ...secrets], () => undefined)
  }
}

/** The signer's daily ways; another process has a passphrase of its own, because whoever reads one on its host must not open the signer. */
async function dailyOf(
  owner: SeedOwner,
  { command, config, holder }: Sealing,
  before: readonly DailySlots[],
): Promise<DailySlots> {
  if (owner === SeedOwner.SIGNER) return askDaily({ ...command, ...config, owner }, holder, random)
  // An operator alone must not issue certificates: shares are the only way.
  if (owner === SeedOwner.AUTHORITY || !command.usesPassphrase) return {}
  const taken = before.flatMap(({ passphrase }) => (passphrase === undefined ? [] : [passphrase]))
  return { passphrase: await askPassphrase(holder, { whose: ` of the ${ownerName(owner)}`, taken }) }
}

type OneSeal = { sealing: Sealing; deploymentId: string; daily: DailySlots }

/** Holders are the signer's: acts are done there alone. */
function sealOne(owner: SeedOwner, seed: Secret, { sealing, deploymentId, daily }: OneSeal) {
  const { command, generation, holderPublicKeys, production, witnessesDigest, revision } = sealing
  const { shares, threshold, approvesSetupCodes: setupCodesNeedApproval } = command
  const terms = { owner, deploymentId, generation, shares, threshold }
  return owner === SeedOwner.SIGNER
    ? sealSeed(
        seed,
        { ...terms, production, holderPublicKeys, setupCodesNeedApproval, witnessesDigest, revision },
        daily,
        random,
      )
    : sealSeed(seed, terms, daily, random)
}

/** Stores the file unless another command replaced the sealed one meanwhile, and opens it as it lies on the disk now. */
async function storeAndRehearse(
  { place: { file, read }, stored: before }: SeedToSeal,
  { seed, sealed }: PendingSeal,
  typed: readonly Share[],
): Promise<void> {
  if (before?.kind === "sealed") storeChangedSeed(file, before.sealed, sealed)
  else storeSealedSeed(file, sealed)
  const stored = read()
  if (stored?.kind !== "sealed") throw new UsageFault(`another process replaced ${file} meanwhile`)
  await rehearse({ seed, sealed: stored.sealed }, typed)
}

const secretsOf = ({ passphrase, command }: DailySlots): Secret[] =>
  [passphrase, command?.key].filter((secret) => secret !== undefined)

export const random = (length: number) => Uint8Array.from(randomBytes(length))
