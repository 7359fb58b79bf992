import { rmSync } from "node:fs"
import { setTimeout as pause } from "node:timers/promises"
import type { OperatorService } from "../../../proto/gen/countersign/signer/v1/operator_pb.ts"
import type { Calls } from "../../../proto/grpc-client.ts"

const POLL_MS = 100
/** The signer takes a command for gone that has not called for a minute. */
const HEARTBEAT_MS = 10_000

/** The signer's copy of its ledger while this command uses it. */
export class CopyHandle {
  readonly #operator: Calls<typeof OperatorService>
  readonly #backupId: string
  #directory = ""
  #heartbeat: NodeJS.Timeout | undefined

  constructor(operator: Calls<typeof OperatorService>, backupId: string) {
    this.#operator = operator
    this.#backupId = backupId
  }

  /** The directory of the copy, once it is done. */
  async finished(): Promise<string> {
    for (;;) {
      const { directory } = await this.#operator.copyLedger({ backupId: this.#backupId })
      this.#directory = directory
      if (directory !== "") break
      await pause(POLL_MS)
    }
    this.#heartbeat = setInterval(() => {
      // A fault of the copy shows when its files are read.
      this.#operator.copyLedger({ backupId: this.#backupId }).catch(() => undefined)
    }, HEARTBEAT_MS)
    return this.#directory
  }

  /** Removes the copy, if the signer has not. */
  end(): void {
    clearInterval(this.#heartbeat)
    if (this.#directory !== "") rmSync(this.#directory, { recursive: true, force: true })
  }
}
