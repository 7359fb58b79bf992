import { SeedOwner } from "../../../proto/gen/countersign/state/v1/sealed_seed_pb.ts"
import { UsageFault } from "../../core/command-line.ts"
import type { Secret } from "../../core/crypto/secret.ts"
import { fileAct, keyParameters } from "../../core/holder-acts/file-act.ts"
import type { HolderAct } from "../../core/holder-acts/acts.ts"
import type { SealedFile } from "../../core/sealed-seed/format.ts"
import { requireHolderKeys } from "../../core/sealed-seed/holders.ts"
import { witnessesDigest } from "../../core/sealed-seed/witnesses.ts"
import { MAX_GENERATION, ownerName, requirePossible } from "../../core/sealed-seed/terms.ts"
import { FAULT, StartError } from "../../core/settings/start-fault.ts"
import type { SignerConfig } from "../../enclave/config.ts"
import { createLedgerOf } from "../../enclave/create-deployment.ts"
import { removeIncompleteLedger } from "../../enclave/ledger/create-ledger.ts"
import type { HolderTerminal } from "../../core/seal-commands/holder-terminal.ts"
import type { StoredSeed } from "../../process/root-seed.ts"
import type { CommandResult } from "../command-result.ts"
import { requireApprovedFileAct } from "../holders/file-approvals.ts"
import { readHolderKeys } from "../holders/public-keys.ts"
import type { CeremonyCommand } from "./ceremony-command.ts"
import { openWithShares } from "../../core/seal-commands/open-with-shares.ts"
import { nextRevision } from "./revision.ts"
import { sealAndRehearse, type SeedToSeal } from "./seal-and-rehearse.ts"
import { placesOf, requireWritable, type SeedPlace } from "./seed-places.ts"

export type { CeremonyCommand }

/**
 * Seals the root seed: that of a plain file, or a new one of a new deployment; and with it, if they are named, the seeds of fetcher and
 * auth proxy. Nothing is stored before every share was typed back and rehearsed; then one rename puts each sealed file into its place.
 */
export async function ceremony(
  command: CeremonyCommand,
  config: SignerConfig,
  holder: HolderTerminal,
): Promise<CommandResult> {
  requirePossible(command)
  const holderPublicKeys = readHolderKeys(command.holders)
  requireHolderKeys(holderPublicKeys, command.shares)
  const places = placesOf(config, command)
  places.forEach(requireWritable)
  const stored = places.map((place) => place.read())
  const seeds: SeedToSeal[] = []
  try {
    for (const [index, place] of places.entries())
      seeds.push({ place, stored: stored[index], seed: await presentOrNew(place, stored[index], holder) })
    const isNew = stored[0] === undefined
    if (isNew) removeIncompleteLedger(config.ledgerDirectory)
    const sealing = {
      command,
      config,
      holder,
      generation: nextGeneration(stored),
      holderPublicKeys,
      production: config.isProduction,
      witnessesDigest: presentWitnesses(config),
      revision: nextRevision(0n, "shares"),
    }
    const sealed = await sealAndRehearse(withSigner(seeds), sealing, () => {
      if (isNew) createLedgerOf(seeds[0]!.seed, config)
    })
    const lines = [
      ...linesOf(sealed, places),
      ...witnessLines(sealed, config),
      isNew
        ? "A new deployment was created."
        : "The plain seed was replaced; keys and pins stay. Destroy its copies, also those in backups: each has every key.",
      "A running signer goes on until its next start. From then on: countersign-signer unlock",
    ]
    return { lines, json: jsonOf(sealed, places) }
  } finally {
    for (const { seed } of seeds) seed.wipe()
  }
}

/** The witnesses of the settings stay without an act in production. Where there are none yet, an act names the first ones. */
function presentWitnesses({ isProduction, witnesses }: SignerConfig): Uint8Array | undefined {
  return isProduction && witnesses.keys.length > 0 ? witnessesDigest(witnesses) : undefined
}

function witnessLines({ header }: SealedFile, { witnesses: { keys, threshold } }: SignerConfig): string[] {
  if (header.witnessesDigest.length === 0) return []
  const names = keys.map(({ name }) => name).join(", ")
  return [`the signer serves with these witnesses of its log alone: ${names}; ${threshold} must cosign`]
}

/**
 * The seed of a plain file, or a new one. Another owner's seed may be sealed already, by a ceremony that was killed between two files: its
 * shares are asked for, and it gets new ones with the others.
 *
 * @throws {StartError} when the root seed is sealed
 */
async function presentOrNew(
  { owner, make }: SeedPlace,
  stored: StoredSeed | undefined,
  holder: HolderTerminal,
): Promise<Secret> {
  if (stored === undefined) return make()
  if (stored.kind === "sealed" && owner === SeedOwner.SIGNER) throw new StartError(FAULT, SEALED_ALREADY)
  return openPresent(stored, holder)
}

const SEALED_ALREADY =
  "the root seed is sealed already, and nothing was changed. To give new shares to holders: countersign-signer change-shares"

/** The generation after those of all files. @throws {StartError} */
function nextGeneration(stored: readonly (StoredSeed | undefined)[]): number {
  const generation = Math.max(
    ...stored.map((one) => (one?.kind === "sealed" ? one.sealed.header.generation : 0)),
  )
  if (generation < MAX_GENERATION) return generation + 1
  throw new StartError(FAULT, `generation ${generation} is the last one that a share can name`)
}

const withSigner = (seeds: readonly SeedToSeal[]) => seeds as readonly [SeedToSeal, ...SeedToSeal[]]

/**
 * Gives a sealed root seed a new set of shares under a new key, and the seeds of fetcher and auth proxy that are named. The old set
 * holds until the new one was typed back and rehearsed. Where holders are enrolled they approve it.
 */
export async function changeShares(
  command: CeremonyCommand,
  config: SignerConfig,
  holder: HolderTerminal,
): Promise<CommandResult> {
  requirePossible(command)
  const places = placesOf(config, command)
  places.forEach(requireWritable)
  const stored = places.map(readPresent)
  const present = requireSealed(stored[0])
  const holderPublicKeys = keysOf(command, present)
  requireApprovedFileAct(sharesAct(command, present, holderPublicKeys), command.approvals, present)
  const generation = nextGeneration(stored)
  const seeds: SeedToSeal[] = []
  try {
    for (const [index, place] of places.entries())
      seeds.push({ place, stored: stored[index], seed: await openPresent(stored[index]!, holder) })
    const production = config.isProduction || present.header.production
    const { witnessesDigest: kept } = present.header
    const revision = nextRevision(present.header.revision, "shares")
    const terms = { generation, holderPublicKeys, production, witnessesDigest: kept, revision }
    // A rule that holders approve setup codes is not lost by leaving an option out.
    const approvesSetupCodes = command.approvesSetupCodes || present.header.setupCodesNeedApproval
    const next = { command: { ...command, approvesSetupCodes }, config, holder, ...terms }
    const sealed = await sealAndRehearse(withSigner(seeds), next, () => undefined)
    const lines = [
      ...linesOf(sealed, places),
      `Copies of the file of generation ${present.header.generation}, with its shares, still open the same seed. Destroy those sheets, and the file in every backup.`,
      ...keptLines(places),
      "Back up the new file. The running signer goes on; it reads the new file when it is locked, or started.",
    ]
    return { lines, json: { ...jsonOf(sealed, places), replaces: present.header.generation } }
  } finally {
    for (const { seed } of seeds) seed.wipe()
  }
}

const SHEET_OWNERS = [SeedOwner.SIGNER, SeedOwner.FETCHER, SeedOwner.AUTH_PROXY, SeedOwner.AUTHORITY]

/** A sheet may have words of processes that this change left out: they still open their files, and no others do. */
function keptLines(places: readonly SeedPlace[]): string[] {
  const left = SHEET_OWNERS.filter((owner) => places.every((place) => place.owner !== owner)).map(ownerName)
  if (left.length === 0) return []
  return [
    `But keep words of the ${left.join(", ")} if an earlier sheet has them: this change left those out, and they alone open these files.`,
  ]
}

/** @throws {StartError} where no seed is stored */
function readPresent(place: SeedPlace): StoredSeed {
  const stored = place.read()
  if (stored !== undefined) return stored
  throw new StartError(
    FAULT,
    place.owner === SeedOwner.SIGNER ? NOT_SEALED : `${place.file} does not exist: nothing was changed`,
  )
}

/** @throws {StartError} */
function requireSealed(stored: StoredSeed | undefined): SealedFile {
  if (stored?.kind === "sealed") return stored.sealed
  if (stored !== undefined) stored.seed.wipe()
  throw new StartError(FAULT, NOT_SEALED)
}

const NOT_SEALED =
  "there is no sealed root seed whose shares could be changed: countersign-signer ceremony makes one"

async function openPresent(stored: StoredSeed, holder: HolderTerminal): Promise<Secret> {
  return stored.kind === "plain" ? stored.seed : openWithShares(stored.sealed, holder)
}

/** The new holders' keys: those of the command, or the present ones. @throws {UsageFault}, HOLDERS_IMPOSSIBLE */
export function keysOf(
  { holders, shares }: Pick<CeremonyCommand, "holders" | "shares">,
  { header }: SealedFile,
): readonly Uint8Array[] {
  const keys = holders.length === 0 ? header.holderPublicKeys : readHolderKeys(holders)
  if (holders.length === 0 && keys.length > 0 && keys.length !== shares)
    throw new UsageFault(
      `${keys.length} holders are enrolled, and there will be ${shares} shares: name the key of each holder with --holder`,
    )
  requireHolderKeys(keys, shares)
  return keys
}

/** The act as its text has it. */
export function sharesAct(
  { shares, threshold }: Pick<CeremonyCommand, "shares" | "threshold">,
  present: SealedFile,
  keys: readonly Uint8Array[],
): HolderAct {
  const counts = [
    ["Shares", String(shares)],
    ["Threshold", String(threshold)],
  ] as const
  return fileAct("change-shares", [...counts, ...keyParameters(keys)], present)
}

function linesOf({ header }: SealedFile, places: readonly SeedPlace[]): string[] {
  const { deploymentId, generation, shares, threshold, holderPublicKeys } = header
  return [
    `sealed: deployment ${deploymentId}, generation ${generation}; ${threshold} of ${shares} shares open it, each was typed back`,
    ...places
      .slice(1)
      .map(
        ({ owner, file }) =>
          `sealed too: ${file}, of the ${ownerName(owner)}; ${owner === SeedOwner.AUTHORITY ? "shares open it for each certificate" : "carry it to its host"}`,
      ),
    ...(holderPublicKeys.length === 0
      ? []
      : [`${threshold} of ${shares} holders approve acts by their keys`]),
  ]
}

function jsonOf({ header }: SealedFile, places: readonly SeedPlace[]) {
  const { deploymentId, generation, shares, threshold, holderPublicKeys } = header
  const processes = places.map(({ owner }) => ownerName(owner))
  return { deploymentId, generation, shares, threshold, holders: holderPublicKeys.length, processes }
}
