import { readEthereumSend } from "../../core/send/ethereum-send.ts"
import type { Activity } from "./activity.ts"
import { signEthereumSend } from "./shared/ethereum-sends.ts"

export const ethUndelegate7702: Activity<"ethUndelegate7702"> = {
  check: (parameters) => void readEthereumSend(parameters),
  run: (parameters, context) => signEthereumSend(readEthereumSend(parameters), parameters.from, context),
}
