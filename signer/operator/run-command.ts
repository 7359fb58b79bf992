import { toJson } from "@bufbuild/protobuf"
import { type GetStatusResponse, OperatorService } from "../../proto/gen/countersign/signer/v1/operator_pb.ts"
import { Phase, PhaseSchema } from "../../proto/gen/countersign/signer/v1/phase_pb.ts"
import { RefusalCodeSchema } from "../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import { type Pins, PinsSchema } from "../../proto/gen/countersign/state/v1/setup_pb.ts"
import { REFUSED, StartError } from "../core/settings/start-fault.ts"
import type { SignerConfig } from "../enclave/config.ts"
import { pinsDigest } from "../core/proof/verify/trusted-pins.ts"
import { withService } from "./connection.ts"
import type { CommandResult } from "./command-result.ts"
import type { SignerCommand } from "./command-line.ts"
import { showLedger } from "./ledger-show.ts"
import { pair } from "./pair.ts"

/** Calls the running signer. */
export async function runCommand(command: SignerCommand, config: SignerConfig): Promise<CommandResult> {
  const { waitSeconds } = command
  switch (command.name) {
    case "status":
      return withService(OperatorService, config.operatorSocket, waitSeconds, async ({ getStatus }) => {
        const { pins, paymaster, ...status } = await getStatus({})
        const phase = phaseName(status)
        const identity = { ...(pins && { pins: pinsJson(pins) }), ...(paymaster !== "" && { paymaster }) }
        const json = { phase, explanation: status.explanation, ...identity }
        const exitStatus = status.phase === Phase.READY ? 0 : REFUSED
        return { lines: [`${phase}: ${status.explanation}`], json, exitStatus }
      })
    case "accept-clock":
    case "accept-ledger": {
      const restored = command.name === "accept-ledger" && command.isRestored
      return withService(OperatorService, config.operatorSocket, waitSeconds, async (operator) => {
        if (command.name === "accept-clock") await operator.acceptClock({})
        else await operator.acceptLedger({ restored })
        const status = await operator.getStatus({})
        const phase = phaseName(status)
        const { explanation } = status
        const lines = [
          `The ${command.name === "accept-clock" ? "clock" : "ledger"} is accepted.`,
          `${phase}: ${explanation}`,
        ]
        return { lines, json: { phase, explanation } }
      })
    }
    case "setup-code":
      return withService(OperatorService, config.operatorSocket, waitSeconds, async ({ createSetupCode }) => {
        const { publicKey, expirationSeconds } = command
        const { setupCode, pins } = await createSetupCode({ publicKey, expirationSeconds })
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

/** `READY`, `CLOCK_UNTRUSTED`; of a halted signer the code that halted it. */
function phaseName({ phase, haltedBy }: Pick<GetStatusResponse, "phase" | "haltedBy">): string {
  const name = phase === Phase.HALTED ? RefusalCodeSchema.value[haltedBy] : PhaseSchema.value[phase]
  return name?.localName ?? "UNKNOWN"
}
