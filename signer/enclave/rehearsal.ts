// The program of a rehearsal: the signer of a restored backup, in a folder that is removed afterwards. It serves no order, so it needs no
// settings and no witnesses. It signs with keys of wallets for itself, and says on standard output how that ended.
import "../process/refuse-debugger.ts"
import { UnlockService } from "../../proto/gen/countersign/signer/v1/unlock_pb.ts"
import { addService } from "../../proto/grpc.ts"
import { exitWithParent } from "../process/exit-with-parent.ts"
import { requireIntactRelease } from "../process/intact-release.ts"
import { exitAtStart, readOrExit } from "../process/settings.ts"
import { terminal } from "../process/terminal.ts"
import { listenOnSocket, newServer } from "../process/transport.ts"
import { boot, type BootedSigner } from "./boot.ts"
import { readAdmittedMembers } from "./admitted-members.ts"
import { readConfig, type SignerConfig } from "./config.ts"
import { statusUnlessBroken, terminate } from "./end-if-broken.ts"
import { rehearseKeys, type RehearsedKeys } from "./rehearsal-keys.ts"
import { unlockHandlers } from "./rpc/index.ts"
import { digestOfPins, ownPins } from "../core/backup/manifest.ts"

/** A line of standard output, in JSON. */
export type RehearsalReport =
  | { is: "sealed" }
  /** The log has a signed checkpoint beyond that of the backup. `pins`: digest of its own pins. */
  | ({ is: "signed"; pins: string } & RehearsedKeys)
  | { is: "refused"; sentence: string }

process.umask(0o077)
const [, , madeAtMs] = process.argv
const restored = readOrExit((environment) => readConfig(environment, readAdmittedMembers))
await rehearse(restored, Number(madeAtMs)).catch(exitAtStart)

async function rehearse(config: SignerConfig, atMs: number): Promise<void> {
  requireIntactRelease("signer")
  // The backup's own time: an old backup is no fault of the host's clock.
  const clock = { wallMs: () => atMs + performance.now(), monotonicMs: () => performance.now() }
  const signer = boot(config, {
    clock,
    terminate,
    isRehearsal: true,
    onLockChange: () => void report(signer),
  })
  if (signer.phase().name === "sealed") {
    const server = newServer()
    addService(server, UnlockService, unlockHandlers, () => signer, statusUnlessBroken)
    await listenOnSocket(server, config.operatorSocket)
  }
  await report(signer)
  exitWithParent()
}

async function report(signer: BootedSigner): Promise<void> {
  terminal.print(JSON.stringify(await reportOf(signer)))
}

async function reportOf(signer: BootedSigner): Promise<RehearsalReport> {
  const phase = signer.phase()
  if (phase.name === "sealed") return { is: "sealed" }
  if (phase.name !== "ready") return { is: "refused", sentence: `${phase.name}, ${phase.sentence}` }
  try {
    const state = signer.state()
    const keys = rehearseKeys(state)
    await signer.signLog()
    return { is: "signed", pins: digestOfPins(ownPins(state.keyring.pins)), ...keys }
  } catch (error) {
    return { is: "refused", sentence: error instanceof Error ? error.message : String(error) }
  }
}
