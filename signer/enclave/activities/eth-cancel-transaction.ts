import { readCancellation } from "../../core/send/replacement.ts"
import type { Activity } from "./activity.ts"
import { signEthereumSend } from "./shared/ethereum-sends.ts"

export const ethCancelTransaction: Activity<"ethCancelTransaction"> = {
  check: (parameters) => void readCancellation(parameters),
  run: (parameters, context) => signEthereumSend(readCancellation(parameters).send, parameters.from, context),
}
