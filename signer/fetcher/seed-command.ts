import { UnlockService } from "../../proto/gen/countersign/signer/v1/unlock_pb.ts"
import { SeedOwner } from "../../proto/gen/countersign/state/v1/sealed_seed_pb.ts"
import { changeOwnDaily } from "../core/seal-commands/change-daily.ts"
import { openHolderTerminal } from "../core/seal-commands/holder-terminal.ts"
import type { DailyChange, OpenBy } from "../core/seal-commands/ways.ts"
import { REFUSED } from "../core/settings/start-fault.ts"
import { withService } from "../process/socket-client.ts"
import { lock, unlock } from "../process/unlock-client.ts"
import type { FetcherConfig } from "./config.ts"
import { readSeed } from "./identity.ts"

export type SeedCommand = { json: boolean } & (
  | { name: "unlock"; waitSeconds: number; by: OpenBy }
  | { name: "lock" | "status"; waitSeconds: number }
  | ({ name: "change-daily" } & DailyChange)
)

type Result = { lines: string[]; json: object; exitStatus?: number }

/** Commands about the sealed seed of the fetcher. All but `change-daily` are about the running one. */
export async function runSeedCommand(command: SeedCommand, config: FetcherConfig): Promise<Result> {
  switch (command.name) {
    case "unlock": {
      const holder = openHolderTerminal()
      return unlock(command, config, holder, SeedOwner.FETCHER).finally(() => holder.close())
    }
    case "lock": {
      await lock(command, config)
      const line = "locked: the fetcher ends, and its next start is sealed"
      return { lines: [line], json: { locked: true } }
    }
    case "status":
      return readStatus(command, config)
    case "change-daily": {
      const stored = readSeed(config)
      return changeOwnDaily(stored, command, { file: config.seedFile, commands: config })
    }
    default:
      return command satisfies never
  }
}

function readStatus(
  { waitSeconds }: { waitSeconds: number },
  { operatorSocket }: { operatorSocket: string },
) {
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
