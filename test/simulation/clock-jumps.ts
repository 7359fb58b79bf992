import type { Run } from "./run.ts"
import { check, requireReady, sendAgain } from "./run.ts"
import type { Step } from "./steps.ts"

/** Time without decisions after an operator set the clock back: the hour of a request, and five minutes by which clocks may differ. */
const QUIET_MS = 65 * 60_000

/**
 * The host's clock is ahead at a start, and an operator sets it back. Nothing is decided until every request of the wrong time is
 * stale. Afterwards the signer uses the accepted time, also after another start. @throws Error
 */
export async function takeClockJump(run: Run, { aheadMs }: Extract<Step, { is: "clock" }>): Promise<void> {
  const { signer, tier } = run
  const { clock } = signer
  await tier.recover()
  clock.setWall(clock.wallMs() + aheadMs)
  await signer.restart()
  requireReady(run)
  await useWallet(run)
  clock.setWall(clock.wallMs() - aheadMs)
  await signer.acceptClock()
  if (signer.phase === "ready") throw new Error("the signer decides at once after its time was set back")
  await signer.pass(QUIET_MS + 1)
  requireReady(run)
  await useWallet(run)
  await signer.pass(1)
  await signer.restart()
  requireReady(run)
}

/** An order that writes the ledger. */
async function useWallet(run: Run): Promise<void> {
  const { requests, signer, world } = run
  const { organizationId, users, quorum } = [...world.values()][0]!
  const { publicKey } = users.find(({ userId }) => userId === quorum.userIds[0])!.keys[0]!
  const prepared = requests.ask(organizationId, { is: "create-wallet" }, publicKey, signer.nowMs())
  await check(run, [prepared], [await sendAgain(run, prepared)])
}
