import { toJson } from "@bufbuild/protobuf"
import { OperatorService } from "../../proto/gen/countersign/signer/v1/operator_pb.ts"
import { type Pins, PinsSchema } from "../../proto/gen/countersign/state/v1/setup_pb.ts"
import { REFUSED, StartError } from "../core/settings/start-fault.ts"
import type { SignerConfig } from "../enclave/config.ts"
import { pinsDigest } from "../core/proof/verify/trusted-pins.ts"
import { withService } from "../process/socket-client.ts"
import { approvedBy } from "./holders/approval-file.ts"
import type { CommandResult } from "./command-result.ts"
import type { SignerCommand } from "./command-line.ts"
import { showLedger } from "./ledger-show.ts"
import { pair } from "./pair.ts"
import { accept, readStatus } from "./status.ts"

/** Calls the running signer. */
export async function runCommand(command: SignerCommand, config: SignerConfig): Promise<CommandResult> {
  const { waitSeconds } = command
  switch (command.name) {
    case "status":
      return readStatus(config, waitSeconds)
    case "accept-clock":
    case "accept-ledger":
      return accept(command, config)
    case "setup-code":
      return withService(OperatorService, config.operatorSocket, waitSeconds, async ({ createSetupCode }) => {
        const { publicKey, expirationSeconds } = command
        const { setupCode, pins } = await createSetupCode({
          publicKey,
          expirationSeconds,
          ...approvedBy(command),
        })
        const json = { setupCode, publicKey, ...(pins && { pins: pinsJson(pins) }) }
        return { lines: [setupCode], json }
      })
    case "pins":
      return withService(OperatorService, config.operatorSocket, waitSeconds, async ({ getStatus }) => {
        const { pins, explanation } = await getStatus({})
        if (pins === undefined) throw new StartError(REFUSED, `no pins: ${explanation}`)
        return pinsResult(pins)
      })
    case "pair":
      return pair(command, config)
    case "erase":
      return withService(OperatorService, config.operatorSocket, waitSeconds, async (operator) => {
        const { organizationId } = command
        const { version } = await operator.eraseOrganization({ organizationId })
        const lines = [
          `The name of organization ${organizationId} is erased from the ledger; its document has version ${version}.`,
          `Next, on the host of the API: countersign-node db erase ${organizationId}`,
        ]
        return { lines, json: { organizationId, version: String(version) } }
      })
    case "ledger":
      return showLedger(command, config)
    default:
      return command satisfies never
  }
}

export function pinsResult(pins: Pins): CommandResult {
  const json = pinsJson(pins)
  // The digest is of the members below it, so it is none of them: the JSON is what clients keep.
  const shown = { digest: pinsDigest(pins), ...json }
  return { lines: Object.entries(shown).map(([name, value]) => `${name}  ${value}`), json }
}

function pinsJson(pins: Pins): object {
  return toJson(PinsSchema, pins) as object
}
