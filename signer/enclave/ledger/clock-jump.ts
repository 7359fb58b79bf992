import { deploymentChange, DEPLOYMENT, type Ledger } from "./ledger.ts"

/**
 * A jump of the host's clock ahead of the floor, which may turn out to be a mistake. Until it has settled, rows that
 * expired since are kept, so that an operator can set time back without a long wait.
 */
export type ClockJump = {
  /** The floor before the jump: rows that expire later are not purged. */
  purgeUntilMs: number
  /** The jump has settled when time reaches this: after a day of running. */
  settledAtMs: number
  /** Length of all jumps since the last one settled, without those that an operator accepted. */
  jumpedMs: number
}

export const NO_JUMP: ClockJump = { purgeUntilMs: 0, settledAtMs: 0, jumpedMs: 0 }

const ROW = { kind: "clock", key: "" } as const

/** Value: `purge_until_ms(8) || settled_at_ms(8) || jumped_ms(8)`, big endian. Without the row: `NO_JUMP`. */
export function readJump(ledger: Pick<Ledger, "row">): ClockJump {
  const value = ledger.row(DEPLOYMENT, ROW.kind, ROW.key)
  if (value === undefined) return NO_JUMP
  const bytes = Buffer.from(value)
  const at = (offset: number) => Number(bytes.readBigUInt64BE(offset))
  return { purgeUntilMs: at(0), settledAtMs: at(8), jumpedMs: at(16) }
}

/** Resolves after the sync. A floor that advances in the same turn of the event loop is durable with it, not before. */
export function storeJump(
  ledger: Pick<Ledger, "head" | "commit">,
  { purgeUntilMs, settledAtMs, jumpedMs }: ClockJump,
): Promise<void> {
  const value = Buffer.alloc(24)
  for (const [index, ms] of [purgeUntilMs, settledAtMs, jumpedMs].entries())
    value.writeBigUInt64BE(BigInt(ms), index * 8)
  return ledger.commit([deploymentChange(ledger, { put: [{ ...ROW, value }] })])
}
