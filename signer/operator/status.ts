import { toJson } from "@bufbuild/protobuf"
import { type GetStatusResponse, OperatorService } from "../../proto/gen/countersign/signer/v1/operator_pb.ts"
import { Phase, PhaseSchema } from "../../proto/gen/countersign/signer/v1/phase_pb.ts"
import { RefusalCodeSchema } from "../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import { PinsSchema } from "../../proto/gen/countersign/state/v1/setup_pb.ts"
import { REFUSED } from "../core/settings/start-fault.ts"
import type { SignerConfig } from "../enclave/config.ts"
import type { CommandResult } from "./command-result.ts"
import { withService } from "../process/socket-client.ts"
import { approvedBy } from "./holders/approval-file.ts"

/** The phase, the reason for it, and who approves acts. */
export function readStatus({ operatorSocket }: SignerConfig, waitSeconds: number): Promise<CommandResult> {
  return withService(OperatorService, operatorSocket, waitSeconds, async ({ getStatus }) => {
    const status = await getStatus({})
    const { pins, paymaster, explanation, holders } = status
    const phase = phaseName(status)
    const json = {
      phase,
      explanation,
      ...(pins && { pins: toJson(PinsSchema, pins) }),
      ...(paymaster !== "" && { paymaster }),
      ...(holders && { holders: holdersJson(holders) }),
    }
    const exitStatus = status.phase === Phase.READY ? 0 : REFUSED
    return { lines: [`${phase}: ${explanation}`, ...holdersLines(status)], json, exitStatus }
  })
}

type AcceptCommand = {
  name: "accept-clock" | "accept-ledger"
  waitSeconds: number
  isRestored?: boolean
  approvals: readonly string[]
}

/** Accepts clock or ledger, with approvals where holders are enrolled. */
export function accept(command: AcceptCommand, { operatorSocket }: SignerConfig): Promise<CommandResult> {
  const { name, waitSeconds, isRestored: restored = false } = command
  const approved = approvedBy(command)
  return withService(OperatorService, operatorSocket, waitSeconds, async (operator) => {
    if (name === "accept-clock") await operator.acceptClock(approved)
    else await operator.acceptLedger({ restored, ...approved })
    const status = await operator.getStatus({})
    const phase = phaseName(status)
    const { explanation } = status
    const lines = [
      `The ${name === "accept-clock" ? "clock" : "ledger"} is accepted.`,
      `${phase}: ${explanation}`,
      ...byWhom(status),
    ]
    return { lines, json: { phase, explanation } }
  })
}

type HoldersStatus = Pick<GetStatusResponse, "holders" | "isSealedSeed">

function holdersLines({ holders, isSealedSeed }: HoldersStatus): string[] {
  if (holders === undefined) return isSealedSeed ? [NO_HOLDERS] : []
  const { threshold, publicKeys, generation } = holders
  const keys = publicKeys.map((key, index) => `  ${index + 1}  ${hexOf(key)}`)
  return [
    `Holders: ${threshold} of ${publicKeys.length} approve acts, generation ${generation}, by these keys:`,
    ...keys,
  ]
}

const NO_HOLDERS =
  "Holders: none are enrolled, so each operator acts alone; countersign-signer change-holders enrolls them"

/** Where no holders are, the act was one operator's. */
function byWhom({ holders, isSealedSeed }: HoldersStatus): string[] {
  if (holders !== undefined) return []
  return [isSealedSeed ? NO_HOLDERS : "A plain root seed has no holders: this was the act of one operator."]
}

function holdersJson({
  generation,
  threshold,
  publicKeys,
  digest,
}: NonNullable<GetStatusResponse["holders"]>) {
  return { generation, threshold, publicKeys: publicKeys.map(hexOf), digest: hexOf(digest) }
}

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")

/** `READY`, `CLOCK_UNTRUSTED`; of a halted signer the code that halted it. */
function phaseName({ phase, haltedBy }: Pick<GetStatusResponse, "phase" | "haltedBy">): string {
  const name = phase === Phase.HALTED ? RefusalCodeSchema.value[haltedBy] : PhaseSchema.value[phase]
  return name?.localName ?? "UNKNOWN"
}
