import { existsSync } from "node:fs"
import { join } from "node:path"
import { StartError } from "../core/settings/start-fault.ts"
import { OperatorService } from "../../proto/gen/countersign/signer/v1/operator_pb.ts"
import { Phase } from "../../proto/gen/countersign/signer/v1/phase_pb.ts"
import { wordsOfKey } from "../core/crypto/key-words.ts"
import { Refusal } from "../core/refusal.ts"
import { namesWitnesses, requireApprovedWitnesses } from "../enclave/approved-witnesses.ts"
import type { SignerConfig } from "../enclave/config.ts"
import { type Check, linesOfChecks, ok, statusOfChecks, warn } from "../core/checks.ts"
import { checkCertificate } from "../process/check-certificate.ts"
import { checkConfinement } from "../process/confinement.ts"
import { faultsOfPlainSeed } from "../process/plain-seed.ts"
import { readSealedFile } from "../process/root-seed.ts"
import { checkSecretFile } from "../process/secret-file.ts"
import { withService } from "../process/socket-client.ts"
import { sealedAuthorityIn } from "./ceremony/authority-key.ts"
import { AUTHORITY_KEY, presentPlaceOf, usualPlace } from "./authority/place.ts"
import { checkAuditFolder } from "./audit/check.ts"
import type { CommandResult } from "./command-result.ts"

/** Checks what the signer needs on this host: its settings, which were read, its root seed, its pairing, and the running process. */
export async function doctor(config: SignerConfig): Promise<CommandResult> {
  const { seedFile, fetcherPublicKey, authProxyPublicKey } = config
  const checks = [
    ok("settings", "can be used"),
    checkSecretFile(
      "root seed",
      seedFile,
      "create the deployment with countersign-signer init, or restore it",
    ),
    ...plainSeed(config),
    ...production(config),
    ...witnesses(config),
    ...authorityPlace(config),
    pairing(
      "fetcher",
      fetcherPublicKey,
      "facts from outside are refused, such as ID tokens and one-time codes; set COUNTERSIGN_SIGNER_FETCHER_PUBLIC_KEY",
    ),
    pairing(
      "auth proxy",
      authProxyPublicKey,
      "no organization can enable it; set COUNTERSIGN_SIGNER_AUTH_PROXY_PUBLIC_KEY",
    ),
    checkAuditFolder(config.audit.directory),
    ...checkCertificate(config.listen, "countersign-signer certificate HOST:PORT --renew"),
    await running(config),
  ]
  return { lines: linesOfChecks(checks), json: { checks }, exitStatus: statusOfChecks(checks) }
}

/** What an intruder in the signer's process could do, tried in this process: started as the unit starts it, it has the same confinement. */
export async function confinement(): Promise<CommandResult> {
  const checks = await checkConfinement(join(import.meta.dirname, "..", ".."))
  return { lines: linesOfChecks(checks), json: { checks }, exitStatus: statusOfChecks(checks) }
}

/** In production the signer does not start with a plain seed. */
function plainSeed({ isProduction, seedFile }: SignerConfig): Check[] {
  if (!isProduction) return []
  return faultsOfPlainSeed(seedFile).map((sentence) => ({ name: "production", state: "FAULT", sentence }))
}

/** In production a seed without the mark starts without the setting too, and without holders one operator does every act. */
function production({ isProduction, seedFile }: SignerConfig): Check[] {
  const header = isProduction ? readSealedFile(seedFile)?.header : undefined
  if (header === undefined) return []
  return [
    ...(header.production ? [] : [warn("production", UNMARKED)]),
    ...(header.holderPublicKeys.length > 0 ? [] : [warn("holders", NO_HOLDERS)]),
  ]
}

/** The witnesses of the settings, beside those of the sealed seed: the running signer may have started with others. */
function witnesses({ seedFile, witnesses: list }: SignerConfig): Check[] {
  const name = "witnesses"
  const header = readSealedFile(seedFile)?.header
  if (header === undefined || !header.production) return []
  if (!namesWitnesses(header)) return [warn(name, WITNESSES_UNNAMED)]
  try {
    requireApprovedWitnesses(header, list)
    return [ok(name, "are those that the sealed seed names")]
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return [{ name, state: "FAULT", sentence: error.message }]
  }
}

/** In production the key that issues certificates is better sealed, or elsewhere than beside the root seed. */
function authorityPlace(config: SignerConfig): Check[] {
  const { isProduction, dataDirectory } = config
  const place = presentPlaceOf(config)
  if (!isProduction || place !== usualPlace(dataDirectory) || !existsSync(join(place, AUTHORITY_KEY)))
    return []
  if (sealedAuthorityIn(place) !== undefined) return []
  return [
    warn(
      "authority",
      `${place} has its key, in clear beside the root seed: countersign-signer change-shares --authority seals it, or COUNTERSIGN_SIGNER_AUTHORITY_DIRECTORY names another place, such as a medium that is taken away`,
    ),
  ]
}

const UNMARKED =
  "the sealed seed is not marked, so the signer starts without COUNTERSIGN_PRODUCTION too; countersign-signer change-shares with this setting marks it"
const NO_HOLDERS =
  "none are enrolled, so one operator accepts older ledgers and clocks alone; countersign-signer change-shares --holder KEY, for each share, enrolls them"
const WITNESSES_UNNAMED =
  "the sealed seed names none, so whoever changes the settings replaces them; countersign-signer change-witnesses names them"

/** Judges this command's environment, which the running signer may not share. */
function pairing(name: string, key: string | undefined, without: string): Check {
  return key === undefined
    ? warn(name, `no public key of it in these settings: ${without}`)
    : ok(name, `paired by these settings: ${wordsOfKey(key)}`)
}

async function running({ operatorSocket }: SignerConfig): Promise<Check> {
  const name = "process"
  try {
    return await withService(OperatorService, operatorSocket, 0, async ({ getStatus }) => {
      const { phase, explanation } = await getStatus({})
      return phase === Phase.READY ? ok(name, explanation) : { name, state: "FAULT", sentence: explanation }
    })
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    return { name, state: "DOWN", sentence: error.message }
  }
}
