import type { Answer } from "../harness/api-client.ts"
import { patienceMs } from "../harness/patience.ts"

/** Patience with a busy machine. */
const PATIENCE_MS = patienceMs(30_000)

/** Sends an order again while the signer says that it waited too long and was not run. */
export async function patiently(send: () => Promise<Answer>): Promise<Answer> {
  const giveUp = performance.now() + PATIENCE_MS
  for (;;) {
    const answer = await send()
    const isLate = answer.is === "refused" && answer.code === "DEADLINE_EXCEEDED"
    if (!isLate || performance.now() > giveUp) return answer
  }
}
