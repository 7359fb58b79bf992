import type { UnlockResponse } from "../../proto/gen/countersign/signer/v1/unlock_pb.ts"
import { UnlockService } from "../../proto/gen/countersign/signer/v1/unlock_pb.ts"
import type { RpcClient } from "../../proto/grpc-client.ts"
import { SeedOwner } from "../../proto/gen/countersign/state/v1/sealed_seed_pb.ts"
import type { Secret } from "../core/crypto/secret.ts"
import { Refusal } from "../core/refusal.ts"
import type { SlotEvidence } from "../core/sealed-seed/evidence.ts"
import { readPassphrase } from "../core/sealed-seed/passphrase.ts"
import { readShareWords } from "../core/sealed-seed/share-words.ts"
import { REFUSED, StartError } from "../core/settings/start-fault.ts"
import { keyOfBlob } from "../core/seal-commands/change-daily.ts"
import { settingOf } from "../core/seal-commands/daily-ways.ts"
import { askShareOrEnd, type HolderTerminal } from "../core/seal-commands/holder-terminal.ts"
import type { OpenBy } from "../core/seal-commands/ways.ts"
import type { Argv } from "../core/settings/argv.ts"
import { faultOf, withService } from "./socket-client.ts"

/** `by`: the slot whose secret is given. */
export type UnlockCommand = { by: OpenBy; waitSeconds: number }

/** Lines for people, JSON for programs, and the exit status. */
type Result = { lines: string[]; json: object; exitStatus?: number }

/** Where the process listens for its operator, and the operator's command of its seed. */
type Settings = { operatorSocket: string; unsealCommand: Argv | undefined }

type Call = RpcClient<typeof UnlockService>["call"]

/** Unlocks the running process. Shares may come from several terminals, one after the other. */
export function unlock(
  { by, waitSeconds }: UnlockCommand,
  config: Settings,
  holder: HolderTerminal,
  owner: SeedOwner = SeedOwner.SIGNER,
): Promise<Result> {
  return withService(UnlockService, config.operatorSocket, waitSeconds, async (call) => {
    switch (by) {
      case "shares":
        return resultOf(await giveShares(call, holder))
      case "passphrase":
        return resultOf(await givePassphrase(call, holder))
      case "command":
        return resultOf(await giveKey(call, config, owner))
      default:
        return by satisfies never
    }
  })
}

/** Forgets all keys of the running process. */
export function lock(
  { waitSeconds }: { waitSeconds: number },
  config: Pick<Settings, "operatorSocket">,
): Promise<Result> {
  return withService(UnlockService, config.operatorSocket, waitSeconds, async (call) => {
    await call.lock({})
    return { lines: ["locked: the process has no keys until it is unlocked"], json: { locked: true } }
  })
}

/** Asks for shares until they suffice, or until an empty line: the process keeps those that were given. */
async function giveShares(call: Call, holder: HolderTerminal): Promise<Progress> {
  const { deploymentId, generation, threshold, given, isOpen } = await call.readSeal({})
  if (isOpen) throw openAlready()
  holder.show(`Deployment ${deploymentId}, generation ${generation}: ${threshold} shares open the seed.`)
  let progress: Progress = { unlocked: false, given, threshold }
  while (!progress.unlocked) {
    const text = await askShareOrEnd(holder, progress.given)
    if (text === "") break
    holder.clear()
    progress = await giveShare(text, call).catch((error: unknown) => {
      holder.show(sentenceOf(error))
      return progress
    })
  }
  return progress
}

/** Thrown before a share or passphrase is asked for. */
const openAlready = () => new StartError(REFUSED, "the seed is unlocked already: nothing was asked for")

type Progress = Pick<UnlockResponse, "unlocked" | "given" | "threshold">

async function giveShare(text: string, call: Call): Promise<Progress> {
  const share = readShareWords(text)
  return send(call, "share", share)
}

async function givePassphrase(call: Call, holder: HolderTerminal): Promise<Progress> {
  // A process that refuses the question names its phase when the passphrase is given.
  const { isOpen } = await call.readSeal({}).catch(() => ({ isOpen: false }))
  if (isOpen) throw openAlready()
  const text = await holder.ask("Passphrase:", { isHidden: true })
  return send(call, "passphrase", readPassphrase(text))
}

/** The command runs here, in a process that ends soon, and never in the one that serves. */
async function giveKey(call: Call, { unsealCommand }: Settings, owner: SeedOwner): Promise<Progress> {
  const { blob } = await call.readSeal({})
  return send(call, "key", await keyOfBlob(blob, unsealCommand, settingOf(owner, "UNSEAL")))
}

/** Sends the secret and wipes it. */
async function send(call: Call, kind: SlotEvidence["case"], secret: Secret): Promise<Progress> {
  const value = secret.use((bytes) => Uint8Array.from(bytes))
  secret.wipe()
  try {
    return await call.unlock({ evidence: { case: kind, value } as never })
  } finally {
    value.fill(0)
  }
}

/** The sentence of a refusal, here or by the signer. A signer that went away ends the command. */
function sentenceOf(error: unknown): string {
  const fault = faultOf(error)
  if (fault instanceof Refusal || (fault instanceof StartError && fault.status === REFUSED))
    return fault.message
  throw fault
}

function resultOf({ unlocked, given, threshold }: Progress): Result {
  const json = { unlocked, given, threshold }
  if (unlocked) return { lines: ["unlocked"], json }
  const line = `locked: ${given.length} of ${threshold} shares are there${given.length === 0 ? "" : ` (${given.join(", ")})`}; they are forgotten 15 minutes after the last one`
  return { lines: [line], json, exitStatus: REFUSED }
}
