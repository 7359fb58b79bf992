import { readEthereumSend } from "../../core/send/ethereum-send.ts"
import type { Activity } from "./activity.ts"
import { signEthereumSend } from "./shared/ethereum-sends.ts"

export const ethSendTransaction: Activity<"ethSendTransaction"> = {
  check: (parameters) => void readEthereumSend(parameters),
  run: (parameters, context) => signEthereumSend(readEthereumSend(parameters), parameters.from, context),
}

export const ethSendTransactionV2: Activity<"ethSendTransaction", "V2", "V2"> = {
  check: (parameters) => void readEthereumSend(parameters),
  run: (parameters, context) => signEthereumSend(readEthereumSend(parameters), parameters.from, context),
}
