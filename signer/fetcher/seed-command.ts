import { UnlockService } from "../../proto/gen/countersign/signer/v1/unlock_pb.ts"
import { REFUSED } from "../core/settings/start-fault.ts"
import { openHolderTerminal } from "../process/holder-terminal.ts"
import { withService } from "../process/socket-client.ts"
import { lock, unlock } from "../process/unlock-client.ts"
import type { FetcherConfig } from "./config.ts"

export type SeedCommand = {
  name: "unlock" | "lock" | "status"
  json: boolean
  waitSeconds: number
  usesPassphrase: boolean
}

/** Commands about the sealed seed of the running fetcher. */
export async function runSeedCommand(command: SeedCommand, { operatorSocket }: FetcherConfig) {
  const settings = { operatorSocket, unsealCommand: undefined }
  switch (command.name) {
    case "unlock": {
      const holder = openHolderTerminal()
      const by = command.usesPassphrase ? ("passphrase" as const) : ("shares" as const)
      return unlock({ ...command, by }, settings, holder).finally(() => holder.close())
    }
    case "lock": {
      await lock(command, settings)
      const line = "locked: the fetcher ends, and its next start is sealed"
      return { lines: [line], json: { locked: true } }
    }
    case "status":
      return readStatus(command, settings)
    default:
      return command.name satisfies never
  }
}

function readStatus({ waitSeconds }: SeedCommand, { operatorSocket }: { operatorSocket: string }) {
  return withService(UnlockService, operatorSocket, waitSeconds, async ({ readSeal }) => {
    const { isOpen, generation, shares, threshold, given, daily } = await readSeal({})
    const set = `generation ${generation}, ${threshold} of ${shares} shares open it`
    const waiting = given.length === 0 ? "" : `; given so far: ${given.join(", ")}`
    const line = isOpen
      ? `UNLOCKED: ${set}`
      : `SEALED: countersign-fetcher unlock opens the seed: ${set}${waiting}`
    const json = { unlocked: isOpen, generation, shares, threshold, given, daily }
    return { lines: [line], json, exitStatus: isOpen ? 0 : REFUSED }
  })
}
