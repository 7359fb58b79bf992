import {
  OperatorService,
  type ReadLedgerResponse,
} from "../../proto/gen/countersign/signer/v1/operator_pb.ts"
import { counted } from "../core/counted.ts"
import type { SignerConfig } from "../enclave/config.ts"
import { withService } from "../process/socket-client.ts"
import type { CommandResult } from "./command-result.ts"

export type LedgerShowCommand = { waitSeconds: number; organizationId: string }

/** Figures of the running signer's ledger, which an operator compares with a backup or with the database. */
export async function showLedger(
  { waitSeconds, organizationId }: LedgerShowCommand,
  config: SignerConfig,
): Promise<CommandResult> {
  return withService(OperatorService, config.operatorSocket, waitSeconds, async ({ readLedger }) =>
    resultOf(await readLedger({ organizationId }), organizationId),
  )
}

function resultOf(ledger: ReadLedgerResponse, organizationId: string): CommandResult {
  const { organization } = ledger
  const quietUntil = ledger.quietUntilMs === 0n ? undefined : timeText(ledger.quietUntilMs)
  const json = {
    deploymentId: ledger.deploymentId,
    identity: hexOf(ledger.identity),
    sequence: String(ledger.sequence),
    lanes: ledger.lanes.map(({ lane, fence, epoch, sequence }) => ({
      lane,
      fence: String(fence),
      epoch: String(epoch),
      sequence: String(sequence),
    })),
    organizationCount: String(ledger.organizationCount),
    sealEpoch: ledger.sealEpoch,
    timeFloorMs: String(ledger.timeFloorMs),
    ...(quietUntil !== undefined && { quietUntilMs: String(ledger.quietUntilMs) }),
    ...(organization !== undefined && {
      organization: {
        organizationId,
        version: String(organization.version),
        digest: hexOf(organization.digest),
        ledgerSequence: String(organization.ledgerSequence),
      },
    }),
  }
  const rows: [name: string, value: string][] = [
    ["deployment", json.deploymentId],
    ["identity", json.identity],
    ["sequence", counted(BigInt(json.sequence), "transaction")],
    ...json.lanes.map(laneRow),
    ["organizations", json.organizationCount],
    ["seal epoch", String(json.sealEpoch)],
    ["time floor", timeText(ledger.timeFloorMs)],
    ...(quietUntil === undefined ? [] : [["decides from", quietUntil] as [string, string]]),
    ...(organization === undefined ? [] : organizationRows(organizationId, organization)),
  ]
  return { lines: rows.map(([name, value]) => `${name.padEnd(14)} ${value}`), json }
}

function laneRow({
  lane,
  fence,
  epoch,
  sequence,
}: { [name in "fence" | "epoch" | "sequence"]: string } & {
  lane: number
}): [name: string, value: string] {
  return [`lane ${lane}`, `${counted(BigInt(sequence), "transaction")}, fence ${fence}, epoch ${epoch}`]
}

function organizationRows(
  organizationId: string,
  { version, digest, ledgerSequence }: NonNullable<ReadLedgerResponse["organization"]>,
): [name: string, value: string][] {
  const change = ledgerSequence === 0n ? "" : `, changed by transaction ${ledgerSequence}`
  return [
    ["organization", organizationId],
    ["version", `${version}${change}`],
    ["document", `sha256:${hexOf(digest)}`],
  ]
}

function timeText(ms: bigint): string {
  return ms === 0n ? "not set yet" : new Date(Number(ms)).toISOString()
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex")
}
