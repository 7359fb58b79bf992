import { existsSync } from "node:fs"
import type { Pins } from "../../proto/gen/countersign/state/v1/setup_pb.ts"
import { newRootSeed, storeRootSeed } from "../process/root-seed.ts"
import { type Secret, wiping } from "../core/crypto/secret.ts"
import { FAULT, StartError } from "../core/settings/start-fault.ts"
import type { SignerConfig } from "./config.ts"
import { createLedger, removeIncompleteLedger } from "./ledger/create-ledger.ts"
import { setAsideLog } from "./log/log-files.ts"
import { openKeyring, type Pairing } from "./provision/keyring.ts"

/** The places of a deployment, and the keys of paired processes, which are pins. */
type Places = Pick<SignerConfig, "seedFile" | "ledgerDirectory"> &
  Partial<Pick<SignerConfig, "isProduction">> &
  Pairing

/**
 * Creates a deployment: root seed and empty ledger. Only an operator's word, or `countersign dev`, leads here: a signer
 * whose volume is empty must not become another deployment by itself. The ledger comes first and the seed last, so an
 * interrupted creation leaves no seed and can be repeated.
 * @param startWith the advice if the deployment exists
 * @throws {StartError} when a root seed is stored, and in production; LEDGER_FOREIGN when a used ledger without its seed is there; LEDGER_DAMAGED, LedgerInUse
 */
export function createDeployment(
  { seedFile, ledgerDirectory, isProduction = false, ...pairing }: Places,
  startWith = "npx countersign-signer serve",
): Pins {
  if (existsSync(seedFile))
    throw new StartError(
      FAULT,
      `a root seed is stored in ${seedFile} already. Nothing was changed. Start the signer: ${startWith}`,
    )
  if (isProduction) throw new StartError(FAULT, PLAIN_IN_PRODUCTION)
  removeIncompleteLedger(ledgerDirectory)
  const seed = newRootSeed()
  return wiping([seed], () => {
    const pins = createLedgerOf(seed, { ledgerDirectory, ...pairing })
    storeRootSeed(seedFile, seed)
    return pins
  })
}

const PLAIN_IN_PRODUCTION =
  "this would write a plain root seed, which COUNTERSIGN_PRODUCTION refuses. Nothing was created. " +
  "countersign-signer ceremony creates a deployment whose root seed is sealed"

/** Creates the empty ledger of a seed that is stored afterwards. @throws LEDGER_FOREIGN where a ledger is */
export function createLedgerOf(
  seed: Secret,
  { ledgerDirectory, ...pairing }: Omit<Places, "seedFile">,
): Pins {
  const keyring = openKeyring(seed, pairing)
  keyring.ledger.use((key) => createLedger({ directory: ledgerDirectory, key }))
  setAsideLog(ledgerDirectory)
  return keyring.pins
}

/** The public identity that follows from a seed. */
export function pinsOfSeed(seed: Secret, pairing: Pairing): Pins {
  return openKeyring(seed, pairing).pins
}
